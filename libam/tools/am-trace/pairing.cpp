#include <libam/tools/am-trace/pairing.hpp>

namespace am::detail::traces {

// Numbers are missing where a rank has lost events.
bool pairing::take(queues& of, message& out) {
  while (!of.sent.empty() && !of.come.empty()) {
    const event sent = of.sent.front(), come = of.come.front();
    const std::uint32_t left = sent.what->sequence, arrived = come.what->sequence;
    if (left <= arrived) of.sent.pop_front();
    if (arrived <= left) of.come.pop_front();
    if (left != arrived) {
      ++alone_;
      continue;
    }
    if (sent.what->handler != come.what->handler) ++mismatched_;
    out = {sent, come};
    return true;
  }
  return false;
}

std::uint64_t pairing::alone() const noexcept {
  std::uint64_t count = alone_;
  for (const auto& [key, of] : open_) count += of.sent.size() + of.come.size();
  return count;
}

}  // namespace am::detail::traces
