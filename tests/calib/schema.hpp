// What every file of the schemas am-peers/1 and am-profile/1 must hold to, whoever wrote it.
#pragma once

#include <string>
#include <vector>

// One line for each departure; empty: none.
std::vector<std::string> departures(const std::string& text);
std::vector<std::string> profile_departures(const std::string& text);
