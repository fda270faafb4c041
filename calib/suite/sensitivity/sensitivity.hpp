// By how much a program becomes slower with a dial: from its launches.
#pragma once

#include <calib/driver/dials/dial_values.hpp>
#include <calib/driver/peers/medians.hpp>
#include <calib/driver/suite/sensitivity.hpp>
#include <calib/suite/entries.hpp>

#include <optional>
#include <string_view>

namespace calib::suite {

// Over shm a get is a copy.
inline bool has_direct_gets(std::string_view transport) { return transport == "shm"; }
// How a program runs that `of` describes.
run_form form_of(const entry& of);

// The counts that a program has reported. Nothing: it has not run.
std::optional<load> load_of(const median_map& all, const entry& of);

// Nothing: neither the base nor any value has been measured.
std::optional<sensitivity> sensitivity_of(const median_map& all, const entry& base,
                                          const dial& turned);

// The entry without AM_DIAL.
entry plain(entry base);
// The entry with a value of the dial.
entry dialled(entry base, std::string_view dial_name, double ns);

}  // namespace calib::suite
