// am-run --check: the stages of a start, each tried and told, without running PROG.
#pragma once

#include <libam/base/settings.hpp>
#include <libam/tools/am-run/binding.hpp>
#include <libam/tools/am-run/options.hpp>

namespace am::detail::run {

// 0, or the status that the start would have failed with.
int check(const options& wanted, const binding& places, const base::settings& settings);

}  // namespace am::detail::run
