// Holds a process on one CPU: rank r on the r-th of those it may use, in their order.
#pragma once

namespace calib {

// Also reports the CPU. A process that a launcher has bound to one CPU stays there.
void pin(int rank);

}  // namespace calib
