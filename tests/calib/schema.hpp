// The schemas am-peers/1 and am-profile/1, which every file of these formats satisfies.
#pragma once

#include <string>
#include <vector>

// One line for each departure; empty: none.
std::vector<std::string> departures(const std::string& text);
std::vector<std::string> profile_departures(const std::string& text);
