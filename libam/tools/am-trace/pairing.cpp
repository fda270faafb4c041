#include <libam/tools/am-trace/pairing.hpp>

#include <libam/base/format.hpp>

#include <algorithm>

namespace am::detail::traces {

route route_of(const event& one) noexcept {
  const trace::kind type = one.type();
  if (is_sent(type)) return {one.rank(), one.what->peer, class_of(type)};
  return {one.what->peer, one.rank(), class_of(type)};
}

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
    if (sent.what->handler != come.what->handler || sent.what->bytes != come.what->bytes)
      ++mismatched_;
    out = {sent, come};
    if (out.flight() < 0 && out.flight() < -out.bound()) ++backwards_;
    return true;
  }
  return false;
}

std::uint64_t pairing::alone() const noexcept {
  std::uint64_t count = alone_;
  for (const auto& [key, of] : open_) count += of.sent.size() + of.come.size();
  return count;
}

std::vector<std::string> pairing::remarks() const {
  std::vector<std::string> out;
  if (alone() != 0) out.push_back(base::format("{} messages have one end only", alone()));
  if (mismatched_ != 0)
    out.push_back(base::format(
        "{} messages came with another handler or other bytes than they were sent with",
        mismatched_));
  if (backwards_ != 0)
    out.push_back(base::format(
        "{} messages came before they were sent: the clocks of the ranks differ by more than is "
        "known of them",
        backwards_));
  return out;
}

// ---- whole messages -----------------------------------------------------------------------------

whole_messages::whole_messages(job_trace& from) {
  pairing all;
  from.each([&](const event& one) {
    all.add(one, [&](const message& whole) {
      std::vector<range>& known = numbers_[route_of(whole.sent)];
      const std::uint32_t number = whole.sent.what->sequence;
      if (!known.empty() && known.back().last + 1 == number)
        known.back().last = number;
      else
        known.push_back({number, number});
    });
  });
  remarks_ = all.remarks();
}

bool whole_messages::has(const event& one) const {
  const auto found = numbers_.find(route_of(one));
  if (found == numbers_.end()) return false;
  const std::uint32_t number = one.what->sequence;
  const auto at = std::ranges::partition_point(
      found->second, [&](const range& each) { return each.last < number; });
  return at != found->second.end() && at->first <= number;
}

}  // namespace am::detail::traces
