// Processes that ranks have left behind. They become children of am-run, a child subreaper.
#pragma once

#include <sys/types.h>

#include <functional>

namespace am::detail::run {

// Kills all children but those for which `keep` is true, and waits for their ends.
void kill_orphans(const std::function<bool(pid_t)>& keep);

}  // namespace am::detail::run
