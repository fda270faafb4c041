// What the launches of an entry have shown: its figures, and whether it has failed.
#pragma once

#include <calib/driver/measure/measurement.hpp>
#include <calib/driver/peers/medians.hpp>
#include <calib/suite/entries.hpp>

#include <string>

namespace calib::suite {

// A figure of the program's by round; null: it was not measured.
inline const by_variant::value_type* find_figure(const median_map& all, const entry& of,
                                                 const std::string& probe) {
  return best_variant(all, of.key(), parse_metric(probe));
}

// Names the entry in `failed` if one of its launches has not run to a right end.
void add_failure(const entry& of, measurement& into);

}  // namespace calib::suite
