// COMMTEST as charts: the layers over one transport beside each other. Values are medians over the
// runs.
#pragma once

#include <calib/driver/commtest/groups.hpp>
#include <calib/driver/output/chart.hpp>

#include <string>
#include <vector>

namespace calib {

// What alpha N + beta V says of a packet count, ns.
double model_time(const commtest_row& of, unsigned packets);
// What one process sends by the time, GB/s: of an ordered protocol while the other does not.
estimate one_way_bandwidth(const commtest_row& of, const commtest_point& at);

// Of the protocol of each layer that swaps most, unordered ones and ordered ones apart: the times
// with their model against the packet count, and the bandwidth of one direction.
std::vector<chart> packet_charts(const commtest_group& of);

// A figure of every protocol, in both sets of each layer.
chart protocol_chart(const commtest_group& of, const std::string& unit,
                     commtest_figure commtest_row::*figure);

// The packet charts for a terminal, of all groups or of the first over each transport. Empty: the
// look is without.
std::string drawn_curves(const commtest_result& from, const terminal::look& how);

}  // namespace calib
