// Bytes into another rank's memory, then a handler there.
#include <libam/base/cache_line.hpp>
#include <libam/base/checked_copy.hpp>
#include <libam/base/error.hpp>
#include <libam/core/bulk_handlers.hpp>
#include <libam/core/convert.hpp>
#include <libam/core/store_header.hpp>

#include <algorithm>
#include <cstring>

namespace am::detail::core {

namespace {

bool wraps(const void* where, std::size_t bytes) noexcept {
  return reinterpret_cast<std::uintptr_t>(where) + bytes < bytes;
}

}  // namespace

am_status endpoint::check_bulk(const char* call, am_rank at, const void* where, const void* mine,
                               std::size_t bytes, const am_handler* handler) const {
  if (!acceptable(at, handler)) [[unlikely]]
    return refuse_request(call, at, handler);
  if (is_dead(at)) [[unlikely]]
    return refuse_dead(at);
  if (bytes == 0) return AM_OK;
  if (mine == nullptr || wraps(mine, bytes))
    return base::fail(AM_ARGUMENT_ADDRESS, "{} of {} bytes at {} here: there is no such memory",
                      call, bytes, mine);
  if (where == nullptr || wraps(where, bytes))
    return base::fail(AM_ARGUMENT_ADDRESS, "{} of {} bytes at {} of rank {}: no such address", call,
                      bytes, where, at);
  return AM_OK;
}

am_status endpoint::bad_address(const char* call, am_rank at, const void* where,
                                std::size_t bytes) const {
  return base::fail(AM_ARGUMENT_ADDRESS, "{} of {} bytes at {} of rank {}: not all of it is mapped",
                    call, bytes, where, at);
}

bool endpoint::owns(const void* where, std::size_t bytes) const noexcept {
  const auto* at = static_cast<const std::byte*>(where);
  return std::ranges::any_of(bulk_.segments, [&](const own_segment& s) {
    return at >= s.address && at <= s.address + s.bytes &&
           bytes <= static_cast<std::size_t>(s.address + s.bytes - at);
  });
}

seam::reach endpoint::put(am_rank to, void* where, const void* data, std::size_t bytes) noexcept {
  if (bytes == 0) return seam::reach::done;
  if (to != rank_ || !owns(where, bytes)) return ports_[to]->put(where, data, bytes);
  std::memmove(where, data, bytes);
  return seam::reach::done;
}

am_status endpoint::finish_transfer(const char* call, am_rank with, seam::reach& reached) {
  seam::port& port = *ports_[with];  // also if the peer dies meanwhile
  for (blocked here(shown_.doing); reached == seam::reach::under_way; reached = port.reached())
    wait_a_turn(here, call, &with);
  return is_dead(with) ? refuse_dead(with) : AM_OK;
}

am_status endpoint::store(am_rank to, void* where, const void* data, std::size_t bytes,
                          const am_handler* handler, const am_word* words) {
  if (const am_status status = check_bulk("store", to, where, data, bytes, handler);
      status != AM_OK)
    return status;
  look(to);
  return place(to, where, data, bytes, handler, words, true);
}

am_status endpoint::try_store(am_rank to, void* where, const void* data, std::size_t bytes,
                              const am_handler* handler, const am_word* words) {
  if (const am_status status = check_bulk("try_store", to, where, data, bytes, handler);
      status != AM_OK)
    return status;
  if (bytes > max_medium_)
    return base::fail(AM_ARGUMENT_SIZE, "try_store of {} bytes: at most {}; store takes more",
                      bytes, max_medium_);
  return place(to, where, data, bytes, handler, words, false);
}

am_status endpoint::store_async(am_rank to, void* where, const void* data, std::size_t bytes,
                                const am_handler* handler, const am_word* words,
                                const am_handler* done, am_word then) {
  am_status status = check_bulk("store_async", to, where, data, bytes, handler);
  if (status == AM_OK && !acceptable(to, done))
    status = refuse_request("the end of store_async", to, done);
  if (status != AM_OK) return status;
  look(to);
  status = place(to, where, data, bytes, handler, words, true);
  if (status != AM_OK) return status;
  bulk_.completions.push_back(
      {to, done->id, {then, 0, 0, 0}, const_cast<void*>(data), bytes, AM_OK});
  return AM_OK;
}

// The bytes first, by the best way there is, then the notice.
am_status endpoint::place(am_rank to, void* where, const void* data, std::size_t bytes,
                          const am_handler* handler, const am_word* words, bool wait) {
  const auto need_credit = [&] {
    return ports_[to]->credits.free() != 0 ? AM_OK : find_credit(to, wait);
  };
  am_status status = need_credit();
  if (status != AM_OK) return status;
  seam::reach reached = put(to, where, data, bytes);
  if (reached == seam::reach::under_way) [[unlikely]] {
    status = finish_transfer("a store", to, reached);
    if (status == AM_OK) status = need_credit();  // answers to gets may have taken it
    if (status != AM_OK) return status;
  }
  switch (reached) {
    case seam::reach::under_way:  // not any more
    case seam::reach::done:
      ports_[to]->credits.take();
      ports_[to]->send_bulk(handler->id, words, where, bytes);
      break;
    case seam::reach::no_way:
      status = bytes > max_medium_ && ports_[to]->ships()
                   ? ship(to, {where, data, bytes, handler->id, {}}, words)
                   : store_in_pieces(to, where, data, bytes, handler, words, wait);
      break;
    case seam::reach::bad_address: return bad_address("store", to, where, bytes);
  }
  if (status != AM_OK) return status;
  ++traffic_[to].stores;
  traffic_[to].store_bytes += bytes;
  return AM_OK;
}

// Pieces arrive in order, so the last one finds all others in their place.
am_status endpoint::store_in_pieces(am_rank to, void* where, const void* data, std::size_t bytes,
                                    const am_handler* handler, const am_word* words, bool wait) {
  auto* there = static_cast<std::byte*>(where);
  const auto* from = static_cast<const std::byte*>(data);
  for (std::size_t left = bytes; left > max_medium_; left -= max_medium_) {
    const am_word place[AM_WORDS] = {reinterpret_cast<std::uintptr_t>(there), 0, 0, 0};
    const am_status status = send_medium(to, &piece_handler, from, max_medium_, place, wait);
    if (status != AM_OK) return status;
    there += max_medium_;
    from += max_medium_;
  }
  const std::size_t rest =
      static_cast<std::size_t>(static_cast<const std::byte*>(data) + bytes - from);
  const store_header header{reinterpret_cast<std::uintptr_t>(where), bytes, handler->id};
  std::vector<std::byte>& last = bulk_.store_message;
  last.resize(sizeof header + rest);
  std::memcpy(last.data(), &header, sizeof header);
  std::memcpy(last.data() + sizeof header, from, rest);
  return send_payload(to, &store_handler, last.data(), last.size(), words, wait);
}

// ---- at the target ----

void endpoint::take_piece(void* where, const void* data, std::size_t bytes) noexcept {
  if (bytes == 0) return;
  if (owns(where, bytes))
    std::memcpy(where, data, bytes);
  else if (base::copy_checked(where, data, bytes) != base::copied::all)
    bulk_.bad_pieces[source_] = true;
}

// The bytes of these two are payload. Where a sender says that they stand elsewhere, it lies.
void endpoint::on_piece(am_token token, const am_word* words, const void* data, std::size_t bytes) {
  endpoint& self = of(token.ep);
  if (self.placed_) self.accuse("a piece of a store without its bytes", bytes, 0);
  self.take_piece(reinterpret_cast<void*>(words[0]), data, bytes);
}

void endpoint::on_store(am_token token, const am_word* words, const void* data, std::size_t bytes) {
  endpoint& self = of(token.ep);
  store_header header{};
  if (self.placed_) self.accuse("a store without its bytes", bytes, 0);
  if (bytes < sizeof header) self.accuse("a store that is too short", bytes, sizeof header);
  std::memcpy(&header, data, sizeof header);
  header = base::copied_once(header);
  const std::size_t rest = bytes - sizeof header;
  if (rest > header.bytes) self.accuse("a store whose last piece is", rest, header.bytes);
  self.take_piece(reinterpret_cast<void*>(header.where + (header.bytes - rest)),
                  static_cast<const std::byte*>(data) + sizeof header, rest);
  const auto handler =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(header.handler, self.count_));
  self.running_ = handler;
  const bool bad = self.bulk_.bad_pieces[self.source_];
  self.bulk_.bad_pieces[self.source_] = false;
  if (!bad) {
    self.placed_ = true;
    ++self.table_[handler].runs;
    self.table_[handler].fn(token, words, reinterpret_cast<void*>(header.where), header.bytes);
    self.placed_ = false;
    return;
  }
  self.answered_ = self.serial_;
  self.back_->give_back(AM_ARGUMENT_ADDRESS, handler, words);
}

}  // namespace am::detail::core
