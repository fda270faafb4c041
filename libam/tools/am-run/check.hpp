// am-run --check: tries and reports the stages of a start, without running PROG.
#pragma once

#include <libam/base/settings.hpp>
#include <libam/tools/am-run/options.hpp>
#include <libam/tools/am-run/ranks/binding.hpp>

namespace am::detail::run {

// 0, or the status with which the start would have failed.
int check(const options& requested, const binding& bindings, const base::settings& settings);

}  // namespace am::detail::run
