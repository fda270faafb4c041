// What the parts of am-suite/1 have in common: its programs, read and named.
#pragma once

#include <calib/driver/html/page.hpp>
#include <calib/driver/output/json_field.hpp>
#include <calib/driver/suite/entry.hpp>

#include <string>

namespace calib {

suite::entry entry_of(const json_field& from);

// "radix stores"; a variant that is named as its layer adds nothing.
std::string program_name(const suite::entry& of);
// "am over shm"
std::string way_of(const suite::entry& of);
// "radix stores on 4 ranks, am over shm"
std::string whole_name(const suite::entry& of);

// Of a study with --dial, if there is one.
void add_study(const json_field& whole, html::page& into);
// Of am-suite predict, if there are any.
void add_predictions(const json_field& whole, html::page& into);

}  // namespace calib
