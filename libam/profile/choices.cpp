#include <libam/profile/choices.hpp>

#include <algorithm>
#include <bit>

namespace am::detail::profile {
namespace {

// Of `least` ranks or more, as long as each size is `better`; 0: the least is not.
template <class Better>
unsigned largest_team(unsigned least, Better&& better) {
  unsigned ranks = least;
  while (ranks <= most_flat_ranks && better(ranks)) ++ranks;
  return ranks == least ? 0 : ranks - 1;
}

}  // namespace

std::optional<hop> hop_of(const figures& costs, std::size_t bytes) {
  constexpr std::size_t in_words = 16;  // bytes that a team sends without a payload
  if (bytes <= in_words) return hop{std::max(costs.o_s, costs.g), costs.rtt / 2};
  for (const medium_cost& one : costs.mediums)
    if (one.bytes >= static_cast<double>(bytes)) return hop{std::max(one.o, one.g), one.T};
  return std::nullopt;
}

double flat_time(const hop& one, unsigned ranks) {
  return ranks < 2 ? 0 : (ranks - 2) * one.send + one.arrive;
}

double tree_time(const hop& one, unsigned ranks) {
  double last = 0;
  double begun = 0;
  while (ranks > 1) {
    const unsigned others = ranks / 2;
    last = std::max(last, begun + one.arrive + tree_time(one, others));
    begun += one.send;
    ranks -= others;
  }
  return last;
}

unsigned flat_ranks(const hop& one) {
  return largest_team(4, [&](unsigned ranks) {
    return flat_time(one, ranks) <= worth_a_change * tree_time(one, ranks);
  });
}

std::optional<barrier_hop> barrier_hop_of(const figures& costs) {
  const std::optional<hop> one = hop_of(costs, 0);
  if (!costs.o_r || !one) return std::nullopt;
  return barrier_hop{{std::max(one->send, *costs.o_r), one->arrive}, costs.o_s + *costs.o_r};
}

double direct_barrier_time(const barrier_hop& one, unsigned ranks) {
  return ranks < 2 ? 0 : std::max(flat_time(one, ranks), (ranks - 1) * one.busy);
}

double barrier_in_rounds_time(const hop& one, unsigned ranks) {
  return ranks < 2 ? 0 : std::bit_width(ranks - 1) * one.arrive;
}

unsigned direct_barrier_ranks(const figures& costs) {
  const std::optional<barrier_hop> one = barrier_hop_of(costs);
  if (!one) return 0;
  return largest_team(3, [&](unsigned ranks) {
    return direct_barrier_time(*one, ranks) <= worth_a_change * barrier_in_rounds_time(*one, ranks);
  });
}

unsigned spin_us(const figures& costs) {
  const double us = costs.wake_up.value_or(0) / 1e3;
  return us < least_spin_us ? 0 : static_cast<unsigned>(std::min(us, most_spin_us) + 0.5);
}

answers choose(const figures& costs) {
  answers out;
  out.spin_us = static_cast<std::uint8_t>(spin_us(costs));
  out.direct_barrier_ranks = static_cast<std::uint8_t>(direct_barrier_ranks(costs));
  for (std::size_t i = 0; i < broadcast_sizes.size(); ++i)
    if (const std::optional<hop> one = hop_of(costs, broadcast_sizes[i]))
      out.flat_ranks[i] = static_cast<std::uint8_t>(flat_ranks(*one));
  return out;
}

}  // namespace am::detail::profile
