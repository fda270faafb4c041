// What every file of the schema am-peers/1 must hold to, whoever wrote it.
#pragma once

#include <string>
#include <vector>

// One line for each departure; empty: none.
std::vector<std::string> departures(const std::string& text);
