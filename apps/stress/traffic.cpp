// Sends and checks. Handlers find the accounts through their token's context.
#include "traffic.hpp"

#include <cstdio>
#include <cstring>
#include <span>

namespace stress {
namespace {

struct message {
  std::uint64_t number;  // in the sequence from its sender to its target
  std::uint64_t value;
  std::uint64_t check;
  std::uint64_t asks;  // 0, or the number of the reply that it asks for
};

struct answer {
  std::uint64_t asks;
  std::uint64_t value;
};

// A good mixer: each bit of the result depends on each bit of x.
std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9U;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

std::uint64_t sum_of(std::span<const std::byte> data) {
  std::uint64_t sum = data.size();
  for (; data.size() >= sizeof sum; data = data.subspan(sizeof sum)) {
    std::uint64_t part = 0;
    std::memcpy(&part, data.data(), sizeof part);
    sum = mix(sum + part);
  }
  for (const std::byte each : data) sum = mix(sum + std::to_integer<std::uint64_t>(each));
  return sum;
}

std::uint64_t check_of(const message& m, am::rank_id from, am::rank_id to,
                       std::span<const std::byte> data) {
  return mix(mix(mix(m.number + from) + mix(m.value + to)) + m.asks) + sum_of(data);
}

// An error is printed once and its number is taken over, so that one lost message does not print a
// million lines.
void check(am::request_token& token, const message& m, std::span<const std::byte> data) {
  auto& self = *token.context<traffic>();
  account& from = self.with(token.source());
  if (m.number != from.handled) self.complain(token.source(), "request", m.number, from.handled);
  const std::uint64_t sum = check_of(m, token.source(), self.rank(), data);
  if (m.check != sum) self.complain(token.source(), "check of a request", m.check, sum);
  ++from.handled;
}

void on_reply(am::reply_token token, answer a) {
  auto& self = *token.context<traffic>();
  account& from = self.with(token.source());
  ++from.answered;
  if (a.asks != from.answered) self.complain(token.source(), "reply", a.asks, from.answered);
  const std::uint64_t due = mix(a.asks + token.source());
  if (a.value != due) self.complain(token.source(), "value of a reply", a.value, due);
}

void reply_if_requested(am::request_token& token, const message& m) {
  if (m.asks == 0) return;
  const auto& self = *token.context<traffic>();
  token.reply<on_reply>({m.asks, mix(m.asks + self.rank())});
}

void small(am::request_token token, message m) {
  check(token, m, {});
  reply_if_requested(token, m);
}

void medium(am::request_token token, std::span<const std::byte> data, message m) {
  check(token, m, data);
  reply_if_requested(token, m);
}

void bulk(am::request_token token, void* where, std::size_t bytes, message m) {
  check(token, m, {static_cast<const std::byte*>(where), bytes});
  reply_if_requested(token, m);
}

void on_returned(am::reply_token token, const am::returned& returned) {
  auto* const self_or_null = token.context<traffic>();
  if (self_or_null == nullptr) return;
  auto& self = *self_or_null;
  account& to = self.with(returned.rank);
  if (am::status(returned.reason).reason() != AM_REASON_PEER)
    return self.complain(returned.rank, am_status_text(returned.reason), returned.words[0], 0);
  ++(returned.unknown ? to.unknown : to.not_run);
}

void mark_gone(am::reply_token token, am::rank_id rank) {
  if (auto* const self = token.context<traffic>(); self != nullptr) self->with(rank).gone = true;
}

}  // namespace

traffic::traffic(am::endpoint& ep, const options& requested)
    : ep_(ep),
      rank_(ep.rank()),
      peers_(requested.to, ep.rank(), ep.ranks()),
      random_(mix(requested.seed) + ep.rank()),
      accounts_(ep.ranks()),
      payload_(ep.max_medium() / sizeof(std::uint64_t)),
      segment_(ep.all_segments(peers_.bytes())),
      other_memory_(peers_.bytes()),
      stored_(peers_.place_bytes() / sizeof(std::uint64_t)) {
  for (std::uint64_t& word : payload_) word = random_();
  for (std::uint64_t& word : stored_) word = random_();
  ep.set_context(this);
  ep.on_undeliverable<on_returned>();
  ep.on_peer_failure<mark_gone>();
  find_places();
}

// The address of this rank's place at its targets, in both kinds of memory.
void traffic::find_places() {
  const std::byte* const mine = other_memory_.data();
  ep_.job_put("stress.memory", std::as_bytes(std::span(&mine, 1)));
  ep_.job_fence();
  const std::size_t at = peers_.own_place() * peers_.place_bytes();
  for (am::rank_id rank = 0; rank < accounts_.size(); ++rank) {
    if (!peers_.sends_to(rank)) continue;
    std::byte* theirs = nullptr;
    std::memcpy(&theirs, ep_.job_get(rank, "stress.memory").data(), sizeof theirs);
    auto* const segment = static_cast<std::byte*>(segment_.address_at(rank));
    accounts_[rank].places[0].address = segment + at;
    accounts_[rank].places[1].address = theirs + at;
  }
}

// False: the place is still in use.
bool traffic::store_one(am::rank_id to, std::uint64_t random_bits) {
  account& target = accounts_[to];
  account::place& place = target.places[random_bits & 1];
  if (target.answered < place.free_at) return false;
  place.free_at = target.asked + 1;
  message m{target.sent, random_(), 0, place.free_at};
  stored_[m.value % stored_.size()] = m.value;
  const std::size_t bytes = (random_bits >> 8) % (peers_.place_bytes() + 1);
  const auto data = std::as_bytes(std::span(stored_)).first(bytes);
  m.check = check_of(m, rank_, to, data);
  ep_.store<bulk>(to, place.address, data, m);
  ep_.fence(to);  // else later requests may overtake it
  ++target.sent;
  ++target.asked;
  return true;
}

void traffic::send_one(am::rank_id to) {
  account& target = accounts_[to];
  const std::uint64_t random_bits = random_();
  const bool is_try = (random_bits & 1) != 0;
  const bool is_medium = (random_bits & 6) == 0;
  const bool asks = (random_bits & 8) != 0;
  if ((random_bits & 0xf0) == 0 && store_one(to, random_bits >> 8)) return;
  message m{target.sent, random_(), 0, asks ? target.asked + 1 : 0};

  // Half of the payloads are short, all sizes occur, and no two are the same bytes.
  auto data = std::as_bytes(std::span(payload_));
  if (is_medium) {
    payload_[m.value % payload_.size()] = m.value;
    const std::size_t most = (random_bits & 16) != 0 ? 64 : data.size();
    data = data.first((random_bits >> 8) % (most + 1));
  } else {
    data = {};
  }
  m.check = check_of(m, rank_, to, data);

  if (is_try) {
    const am::status status =
        is_medium ? ep_.try_request<medium>(to, data, m) : ep_.try_request<small>(to, m);
    if (status.reason() == AM_REASON_AGAIN) {
      ep_.poll();
      return;
    }
    if (!status) throw am::error(status);
  } else if (is_medium) {
    ep_.request<medium>(to, data, m);
  } else {
    ep_.request<small>(to, m);
  }
  ++target.sent;
  target.asked += asks ? 1 : 0;
}

bool traffic::all_answered() const {
  for (const account& each : accounts_)
    if (!each.gone && each.answered != each.asked) return false;
  return true;
}

void traffic::complain(am::rank_id source, const char* what, std::uint64_t got, std::uint64_t due) {
  constexpr std::uint64_t most_told = 10;
  if (++wrong_ > most_told) return;
  std::fprintf(stderr, "stress: rank %u, from rank %u: %s: got %llu, due was %llu\n", rank_, source,
               what, static_cast<unsigned long long>(got), static_cast<unsigned long long>(due));
}

}  // namespace stress
