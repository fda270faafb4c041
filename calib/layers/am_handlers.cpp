#include <calib/layers/am_handlers.hpp>

#include <calib/program/caches.hpp>
#include <calib/program/mediums.hpp>
#include <calib/program/pieces.hpp>

#include <utility>

namespace calib {
namespace {

// Counts a piece. True: it was the last of the sample, and `checksum` is the sum over all.
bool last_piece(handler_state& state, const void* piece, std::uint64_t& checksum) {
  auto& pieces = state.pieces;
  pieces.sum += piece_checksum(pieces.what, piece);
  if (++pieces.received != pieces.what.count()) return false;
  pieces.received = 0;
  checksum = std::exchange(pieces.sum, 0);
  return true;
}

}  // namespace

void on_request(am::request_token token, am::word a, am::word b, am::word c, am::word d) {
  auto& state = *token.context<handler_state>();
  state.sum += a + b + c + d;
  token.reply<on_reply>(state.sum, b, c, d);
}

void on_post(am::request_token token, am::word a, am::word b, am::word c, am::word d) {
  token.context<handler_state>()->sum += a + b + c + d;
}

void on_reply(am::reply_token token, am::word sum, am::word, am::word, am::word) {
  auto& state = *token.context<handler_state>();
  state.remote_sum = sum;
  ++state.replies;
}

void on_leave(am::request_token token) { token.context<handler_state>()->leave = true; }

void on_bulk_spec(am::request_token token, am::word bytes, am::word touched) {
  token.context<handler_state>()->pieces.what = {bytes, touched != 0};
}

void on_store(am::request_token token, void* piece, std::size_t) {
  std::uint64_t checksum = 0;
  if (last_piece(*token.context<handler_state>(), piece, checksum))
    token.reply<on_stores_done>(checksum);
}

void on_stores_done(am::reply_token token, am::word checksum) {
  auto& pieces = token.context<handler_state>()->pieces;
  pieces.checksum = checksum;
  pieces.done = true;
}

void on_get(am::reply_token token, void* piece, std::size_t) {
  auto& state = *token.context<handler_state>();
  if (last_piece(state, piece, state.pieces.checksum)) state.pieces.done = true;
}

void on_piece_store(am::request_token token, void* piece, std::size_t) {
  token.context<handler_state>()->numbered_pieces.sum += number_of(piece);
}

void on_piece_medium(am::request_token token, std::span<const std::byte> piece) {
  token.context<handler_state>()->numbered_pieces.sum += number_of(piece.data());
}

void on_piece_get(am::reply_token token, void* piece, std::size_t) {
  auto& numbered_pieces = token.context<handler_state>()->numbered_pieces;
  numbered_pieces.get_sum += number_of(piece);
  ++numbered_pieces.gets;
}

void on_number_sum_query(am::request_token token) {
  token.reply<on_number_sum>(token.context<handler_state>()->numbered_pieces.sum);
}

void on_number_sum(am::reply_token token, am::word sum) {
  auto& numbered_pieces = token.context<handler_state>()->numbered_pieces;
  numbered_pieces.remote_sum = sum;
  ++numbered_pieces.reports;
}

void on_eviction(am::request_token token, am::word address, am::word bytes) {
  evict(reinterpret_cast<std::byte*>(address), bytes);
  token.reply<on_number_sum>(token.context<handler_state>()->numbered_pieces.sum);
}

void on_medium_order(am::request_token token, am::word bytes, am::word count, am::word first) {
  auto& mediums = token.context<handler_state>()->mediums;
  const am::word orders = mediums.orders + 1;
  mediums = {.bytes = bytes, .count = count, .first = first, .orders = orders};
}

void on_medium_ready(am::request_token token) {
  token.context<handler_state>()->mediums.ready = true;
}

void on_medium(am::request_token token, std::span<const std::byte> payload) {
  auto& mediums = token.context<handler_state>()->mediums;
  mediums.sum += unpack(payload.data(), payload.size());
  ++mediums.received;
}

void on_medium_sum_query(am::request_token token) {
  token.reply<on_medium_sum>(token.context<handler_state>()->mediums.sum);
}

void on_medium_sum(am::reply_token token, am::word sum) {
  auto& mediums = token.context<handler_state>()->mediums;
  mediums.remote_sum = sum;
  mediums.reported = true;
}

void on_multi_rank_request(am::request_token token, am::word a, am::word b, am::word c,
                           am::word d) {
  token.context<handler_state>()->sum += a + b + c + d;
  token.reply<on_multi_rank_reply>(a + b + c + d, b, c, d);
}

void on_multi_rank_reply(am::reply_token token, am::word sum, am::word, am::word, am::word) {
  auto& multi_rank = token.context<handler_state>()->multi_rank;
  multi_rank.sum += sum;
  ++multi_rank.replies;
}

void on_traffic_order(am::request_token token, am::word target, am::word load) {
  auto& multi_rank = token.context<handler_state>()->multi_rank;
  multi_rank.target = target;
  multi_rank.load = load;
  ++multi_rank.orders;
}

void on_traffic_ready(am::request_token token) {
  ++token.context<handler_state>()->multi_rank.ready;
}

}  // namespace calib
