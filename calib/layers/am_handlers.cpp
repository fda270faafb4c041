#include <calib/layers/am_handlers.hpp>
#include <calib/program/mediums.hpp>
#include <calib/program/pieces.hpp>

#include <utility>

namespace calib {
namespace {

// Counts a piece. True: it was the last of the sample, `tallies` is what it came to.
bool last_piece(ledger& here, const void* piece, std::uint64_t& tallies) {
  auto& pieces = here.pieces;
  pieces.sum += tally(pieces.what, piece);
  if (++pieces.come != pieces.what.count()) return false;
  pieces.come = 0;
  tallies = std::exchange(pieces.sum, 0);
  return true;
}

}  // namespace

void asked(am::request_token token, am::word a, am::word b, am::word c, am::word d) {
  auto& here = *token.context<ledger>();
  here.sum += a + b + c + d;
  token.reply<answered>(here.sum, b, c, d);
}

void posted(am::request_token token, am::word a, am::word b, am::word c, am::word d) {
  token.context<ledger>()->sum += a + b + c + d;
}

void answered(am::reply_token token, am::word sum, am::word, am::word, am::word) {
  auto& here = *token.context<ledger>();
  here.sum_there = sum;
  ++here.answers;
}

void told_to_leave(am::request_token token) { token.context<ledger>()->leave = true; }

void told_what_comes(am::request_token token, am::word bytes, am::word touched) {
  token.context<ledger>()->pieces.what = {bytes, touched != 0};
}

void stored(am::request_token token, void* piece, std::size_t) {
  std::uint64_t tallies = 0;
  if (last_piece(*token.context<ledger>(), piece, tallies)) token.reply<all_stored>(tallies);
}

void all_stored(am::reply_token token, am::word tallies) {
  auto& pieces = token.context<ledger>()->pieces;
  pieces.tallies = tallies;
  pieces.ended = true;
}

void got(am::reply_token token, void* piece, std::size_t) {
  auto& here = *token.context<ledger>();
  if (last_piece(here, piece, here.pieces.tallies)) here.pieces.ended = true;
}

void piece_stored(am::request_token token, void* piece, std::size_t) {
  token.context<ledger>()->numbered.sum += number_of(piece);
}

void piece_came(am::request_token token, std::span<const std::byte> piece) {
  token.context<ledger>()->numbered.sum += number_of(piece.data());
}

void piece_got(am::reply_token token, void* piece, std::size_t) {
  auto& numbered = token.context<ledger>()->numbered;
  numbered.got_sum += number_of(piece);
  ++numbered.got;
}

void asked_for_sum(am::request_token token) {
  token.reply<told_sum>(token.context<ledger>()->numbered.sum);
}

void told_sum(am::reply_token token, am::word sum) {
  auto& numbered = token.context<ledger>()->numbered;
  numbered.sum_there = sum;
  ++numbered.told;
}

void told_what_to_send(am::request_token token, am::word bytes, am::word count, am::word first) {
  auto& mediums = token.context<ledger>()->mediums;
  const am::word orders = mediums.orders + 1;
  mediums = {.bytes = bytes, .count = count, .first = first, .orders = orders};
}

void ready_for_mediums(am::request_token token) { token.context<ledger>()->mediums.ready = true; }

void medium_came(am::request_token token, std::span<const std::byte> payload) {
  auto& mediums = token.context<ledger>()->mediums;
  mediums.sum += unpack(payload.data(), payload.size());
  ++mediums.come;
}

void asked_about_mediums(am::request_token token) {
  token.reply<told_about_mediums>(token.context<ledger>()->mediums.sum);
}

void told_about_mediums(am::reply_token token, am::word sum) {
  auto& mediums = token.context<ledger>()->mediums;
  mediums.sum_there = sum;
  mediums.told = true;
}

void crew_asked(am::request_token token, am::word a, am::word b, am::word c, am::word d) {
  token.context<ledger>()->sum += a + b + c + d;
  token.reply<crew_answered>(a + b + c + d, b, c, d);
}

void crew_answered(am::reply_token token, am::word sum, am::word, am::word, am::word) {
  auto& crew = token.context<ledger>()->crew;
  crew.sum += sum;
  ++crew.answers;
}

void told_whom_to_ask(am::request_token token, am::word whom, am::word how) {
  auto& crew = token.context<ledger>()->crew;
  crew.whom = whom;
  crew.how = how;
  ++crew.orders;
}

void crew_ready(am::request_token token) { ++token.context<ledger>()->crew.ready; }

}  // namespace calib
