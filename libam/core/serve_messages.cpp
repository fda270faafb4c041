// At the target: stores, gets and atomic operations that arrive in messages.
#include <libam/base/cache_line.hpp>
#include <libam/base/checked_copy.hpp>
#include <libam/core/atomic_operation.hpp>
#include <libam/core/bulk_server.hpp>
#include <libam/core/library_handlers.hpp>
#include <libam/core/pending_calls.hpp>
#include <libam/core/store_header.hpp>

#include <algorithm>
#include <cstring>

namespace am::detail::core {

void bulk_server::write_piece(void* where, const void* data, std::size_t bytes) noexcept {
  if (!segments_.write(where, data, bytes)) bad_pieces_[dispatcher_.source()] = true;
}

// The bytes of these two are payload. A sender that claims another place for them violates the
// protocol.
void bulk_server::handle_piece(const am_word* words, const void* data, std::size_t bytes) noexcept {
  if (dispatcher_.is_placed())
    dispatcher_.report_violation("a piece of a store without its bytes", bytes, 0);
  write_piece(reinterpret_cast<void*>(words[0]), data, bytes);
}

void bulk_server::handle_store(am_token token, const am_word* words, const void* data,
                               std::size_t bytes) noexcept {
  store_header header{};
  if (dispatcher_.is_placed()) dispatcher_.report_violation("a store without its bytes", bytes, 0);
  if (bytes < sizeof header)
    dispatcher_.report_violation("a store that is too short", bytes, sizeof header);
  std::memcpy(&header, data, sizeof header);
  header = base::read_once(header);
  const std::size_t rest = bytes - sizeof header;
  if (rest > header.bytes)
    dispatcher_.report_violation("the bytes of the last piece of a store", rest, header.bytes);
  write_piece(reinterpret_cast<void*>(header.where + (header.bytes - rest)),
              static_cast<const std::byte*>(data) + sizeof header, rest);
  const auto handler = static_cast<std::uint32_t>(std::min<std::uint64_t>(header.handler, ~0U));
  const am_rank source = dispatcher_.source();
  const bool bad = bad_pieces_[source];
  bad_pieces_[source] = false;
  if (bad) return (void)dispatcher_.return_carried(AM_ARGUMENT_ADDRESS, handler, words);
  dispatcher_.run_carried(token, handler, words, reinterpret_cast<void*>(header.where),
                          header.bytes);
}

void bulk_server::handle_get(const am_word* words) {
  const am_rank source = dispatcher_.source();
  if (counts_[source] >= pending_calls::max_requested_gets &&
      unserved(source) >= pending_calls::max_requested_gets)
    dispatcher_.report_violation("gets that wait for this rank", unserved(source) + 1,
                                 pending_calls::max_requested_gets);
  pending_get& get = add(source, words[0]);
  get.transfer.there = reinterpret_cast<void*>(words[3]);
  get.transfer.here = reinterpret_cast<void*>(words[1]);
  get.transfer.bytes = words[2];
  get.transfer.handler = got_handler.id;
  get.transfer.words[0] = words[0];
  get.transfer.number = served_transfer_number;
}

void bulk_server::handle_atomic(am_token token, const am_word* words) noexcept {
  const am_word place = base::read_once(words[0]);
  const am_word what = base::read_once(words[1]);
  auto* const where = reinterpret_cast<am_word*>(place);
  const am_word number = what >> 8;
  const am_word op = what & 0xff;
  const bool there = is_operation(op) && place % sizeof *where == 0 &&
                     (segments_.contains(where, sizeof *where) || base::is_word_writable(where));
  if (!there) {
    (void)dispatcher_.reply(token.serial, &atomic_failed_handler, number, 0, 0, 0);
    return;
  }
  const am_word before = apply(*where, static_cast<am_atomic_op>(op), words[2], words[3]);
  (void)dispatcher_.reply(token.serial, &atomic_done_handler, number, before, 0, 0);
}

}  // namespace am::detail::core
