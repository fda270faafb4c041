// team.h: the collectives of am/team.hpp for C, by the same code (am/detail/team_calls.hpp). Each
// endpoint has one team for them, of all ranks. The first call makes it, without a collective: its
// number is known beforehand, and early messages are held in the registry.
#include <libam/core/library_handlers.hpp>
#include <libam/face/guard.hpp>

#include <am/team.h>
#include <am/detail/team_calls.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

using am::detail::core::endpoint_of;
using am::detail::face::guarded;
using am::detail::face::no_endpoint;

namespace {

namespace detail = am::detail;
using detail::base::fail;

constexpr detail::team_handlers handlers{&detail::core::team_small_handler,
                                         &detail::core::team_piece_handler};

// The caller keeps a reference: a posted function may end the endpoint inside a collective.
std::shared_ptr<detail::team_state> team_of(am_ep* ep) {
  std::shared_ptr<void>& kept = endpoint_of(ep).attached.team;
  if (kept == nullptr)
    kept = std::make_shared<detail::team_state>(ep, handlers, detail::team_registry::job_team,
                                                detail::team_of_all(ep), am_ep_rank(ep));
  return std::static_pointer_cast<detail::team_state>(kept);
}

// Calls check() for the arguments, then steps(team) for the collective itself.
template <class Check, class Steps>
am_status run_collective(am_ep* ep, const char* call, std::size_t bytes, Check&& check,
                         Steps&& steps) noexcept {
  if (ep == nullptr) return no_endpoint();
  if (!endpoint_of(ep).dispatcher().may_call()) return endpoint_of(ep).dispatcher().refuse(call);
  if (const am_status status = check(); status != AM_OK) return status;
  return guarded([&] {
    try {
      const std::shared_ptr<detail::team_state> team = team_of(ep);
      detail::team_begin(*team);
      steps(*team);
      detail::team_finish(*team, call, bytes);
      return AM_OK;
    } catch (const am::error& e) {
      return fail(e.status().code(), "{}: {}", call, e.what());
    }
  });
}

// ---- types and operations -----------------------------------------------------------------------

am_status check_reduction(const void* values, std::size_t count, am_value_type type,
                          am_reduce_op op) noexcept {
  constexpr const char* call = "all_reduce";
  constexpr std::size_t size = sizeof(std::uint64_t);
  const auto type_number = static_cast<unsigned>(type);
  const auto op_number = static_cast<unsigned>(op);
  if (type_number > AM_DOUBLE)
    return fail(AM_ARGUMENT_SIZE, "{}: type {}: there are {} to {}", call, type_number,
                static_cast<unsigned>(AM_INT64), static_cast<unsigned>(AM_DOUBLE));
  const unsigned last = type == AM_DOUBLE ? AM_MAX : AM_BIT_XOR;
  if (op_number > last)
    return fail(AM_ARGUMENT_SIZE, "{}: operation {}: {} have {} to {}", call, op_number,
                type == AM_DOUBLE ? "doubles" : "integers", static_cast<unsigned>(AM_SUM), last);
  if (count > PTRDIFF_MAX / size)
    return fail(AM_ARGUMENT_SIZE, "{} of {} values: there can be {} at most", call, count,
                PTRDIFF_MAX / size);
  if (values == nullptr && count != 0)
    return fail(AM_ARGUMENT_ADDRESS, "{} of {} values at 0x0 here: there is no such memory", call,
                count);
  if (reinterpret_cast<std::uintptr_t>(values) % size != 0)
    return fail(AM_ARGUMENT_ADDRESS, "{} at {}: the address of a value must be a multiple of {}",
                call, values, size);
  return AM_OK;
}

template <class T, class Op>
void reduce(detail::team_state& team, void* values, std::size_t count, Op op) {
  detail::team_all_reduce(team, std::span(static_cast<T*>(values), count), op);
}

template <class T>
void reduce_order(detail::team_state& team, void* values, std::size_t count, am_reduce_op op) {
  if (op == AM_MIN) return reduce<T>(team, values, count, [](T a, T b) { return std::min(a, b); });
  reduce<T>(team, values, count, [](T a, T b) { return std::max(a, b); });
}

// Signed integers are handled as unsigned ones where the result is the same: no sum overflows.
void reduce_integers(detail::team_state& team, void* values, std::size_t count, bool with_sign,
                     am_reduce_op op) {
  using bits = std::uint64_t;
  switch (op) {
    case AM_SUM: return reduce<bits>(team, values, count, std::plus<>());
    case AM_MIN:
    case AM_MAX:
      return with_sign ? reduce_order<std::int64_t>(team, values, count, op)
                       : reduce_order<bits>(team, values, count, op);
    case AM_BIT_AND: return reduce<bits>(team, values, count, std::bit_and<>());
    case AM_BIT_OR: return reduce<bits>(team, values, count, std::bit_or<>());
    case AM_BIT_XOR: return reduce<bits>(team, values, count, std::bit_xor<>());
  }
}

// Not by comparison: with a NaN the result would depend on how the values are grouped.
void reduce_doubles(detail::team_state& team, void* values, std::size_t count, am_reduce_op op) {
  if (op == AM_SUM) return reduce<double>(team, values, count, std::plus<>());
  if (op == AM_MIN)
    return reduce<double>(team, values, count, [](double a, double b) { return std::fmin(a, b); });
  reduce<double>(team, values, count, [](double a, double b) { return std::fmax(a, b); });
}

}  // namespace

extern "C" {

am_status am_ep_barrier(am_ep* ep) {
  return run_collective(
      ep, "barrier", 0, [] { return AM_OK; }, detail::team_barrier);
}

am_status am_ep_broadcast(am_ep* ep, am_rank root, void* data, size_t bytes) {
  const auto check = [&] {
    if (root >= endpoint_of(ep).peers().ranks())
      return fail(AM_ARGUMENT_RANK, "broadcast from rank {}: this job has ranks 0 to {}", root,
                  endpoint_of(ep).peers().ranks() - 1);
    if (data == nullptr && bytes != 0)
      return fail(AM_ARGUMENT_ADDRESS, "broadcast of {} bytes at 0x0 here: there is no such memory",
                  bytes);
    return AM_OK;
  };
  return run_collective(ep, "broadcast", bytes, check, [&](detail::team_state& team) {
    detail::team_broadcast(team, root, std::span(static_cast<std::byte*>(data), bytes));
  });
}

am_status am_ep_all_reduce(am_ep* ep, void* values, size_t count, am_value_type type,
                           am_reduce_op op) {
  const auto check = [&] { return check_reduction(values, count, type, op); };
  const std::size_t bytes = count * sizeof(std::uint64_t);
  return run_collective(ep, "all_reduce", bytes, check, [&](detail::team_state& team) {
    if (type == AM_DOUBLE) return reduce_doubles(team, values, count, op);
    reduce_integers(team, values, count, type == AM_INT64, op);
  });
}

am_rank am_ep_flat_broadcast_ranks(am_ep* ep, size_t bytes) {
  return ep == nullptr ? 0 : endpoint_of(ep).membership().answers.flat_ranks_of(bytes);
}

am_rank am_ep_direct_barrier_ranks(am_ep* ep) {
  return ep == nullptr ? 0 : endpoint_of(ep).membership().answers.direct_barrier_ranks;
}

}  // extern "C"
