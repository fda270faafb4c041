#include "recorder.hpp"

namespace am_test {

recorder::recorder() {
  static entry table[] = {
      {record, "silent"}, {answer, "asking"}, {record, "answered"}, {refuse, "missing"}};
  table_ = table;
  came_from_ = from_;
  count_ = missing;
  face_ = reinterpret_cast<am_ep*>(this);
  news_ = this;
}

void recorder::record(am_token token, const am_word* words, const void*, std::size_t bytes) {
  recorder& self = of(token);
  self.all.push_back({self.source_, self.running_, words[0], bytes});
}
void recorder::answer(am_token token, const am_word* words, const void* data, std::size_t bytes) {
  record(token, words, data, bytes);
  recorder& self = of(token);
  if (self.back_ == nullptr) return;  // a reply that names this handler
  self.answered_ = self.serial_;
  self.back_->reply(answered, words[0], words[1], words[2], words[3]);
}
void recorder::refuse(am_token token, const am_word* words, const void*, std::size_t) {
  recorder& self = of(token);
  if (self.back_ == nullptr) return;
  self.answered_ = self.serial_;
  self.back_->give_back(AM_ARGUMENT_HANDLER, self.running_, words);
}
void recorder::given_back(am_status, const am_word* words, bool) noexcept {
  all.push_back({source_, missing, words[0], 0});
}

void recorder::transferred(am::detail::seam::transfer& one) noexcept {
  if (account != nullptr && one.at != am::detail::seam::reach::done) account->put_back_held();
}

bool recorder::expects(am_rank, const void* where, std::size_t bytes) const noexcept {
  const auto* const at = static_cast<const std::byte*>(where);
  return at >= known.data() && at + bytes <= known.data() + known.size();
}

void recorder::answer_has_come(const am::detail::seam::answer& one) noexcept {
  gave_room.emplace_back(one.what, one.bytes);
}

void recorder::heard_of_end(am_rank peer, std::string_view) noexcept { deaths.push_back(peer); }

}  // namespace am_test
