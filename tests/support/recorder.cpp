#include "recorder.hpp"

namespace am_test {

recorder::recorder() {
  static entry table[] = {
      {record, "silent"}, {answer, "replying"}, {record, "replied"}, {refuse, "missing"}};
  table_ = table;
  received_from_ = from_;
  count_ = missing;
  handle_ = reinterpret_cast<am_ep*>(this);
  events_ = this;
}

void recorder::record(am_token token, const am_word* words, const void*, std::size_t size) {
  recorder& self = of(token);
  self.all.push_back({self.source_, self.running_, words[0], size});
}
void recorder::answer(am_token token, const am_word* words, const void* data, std::size_t size) {
  record(token, words, data, size);
  recorder& self = of(token);
  if (self.return_path_ == nullptr) return;  // a reply that names this handler
  self.last_answered_ = self.serial_;
  self.return_path_->reply(replied, words[0], words[1], words[2], words[3]);
}
void recorder::refuse(am_token token, const am_word* words, const void*, std::size_t) {
  recorder& self = of(token);
  if (self.return_path_ == nullptr) return;
  self.last_answered_ = self.serial_;
  self.return_path_->return_request(AM_ARGUMENT_HANDLER, self.running_, words);
}
void recorder::on_request_returned(am_status, const am_word* words, bool) noexcept {
  all.push_back({source_, missing, words[0], 0});
}

void recorder::on_transfer_end(am::detail::seam::transfer& one) noexcept {
  if (account != nullptr && one.status != am::detail::seam::transfer_status::done)
    account->put_back_held();
}

bool recorder::is_known_mapped(am_rank, const void* where, std::size_t size) const noexcept {
  const auto* const at = static_cast<const std::byte*>(where);
  return at >= known.data() && at + size <= known.data() + known.size();
}

void recorder::on_answer(const am::detail::seam::answer& one) noexcept {
  released_rooms.emplace_back(one.what, one.bytes);
}

void recorder::on_peer_failed(am_rank peer, std::string_view why) noexcept {
  deaths.push_back(peer);
  last_loss = why;
}

}  // namespace am_test
