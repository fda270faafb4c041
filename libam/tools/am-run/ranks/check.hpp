// am-run --check: tries and reports the stages of a start on a host, without running PROG.
#pragma once

#include <libam/tools/am-run/ranks/preparation.hpp>

#include <functional>
#include <string>

namespace am::detail::run {

// 0, or the status with which the start would have failed. `report` gets a line for each stage.
int check(const host_start& what, const std::function<void(std::string)>& report);

}  // namespace am::detail::run
