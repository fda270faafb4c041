// team.h: the collectives of am/team.hpp for C, by the same code (am/detail/team_calls.hpp). Each
// endpoint has one team for them, of all ranks. It is made by the first call, and not with the
// other ranks: its number is known beforehand, and what comes early is held on the board.
#include <libam/core/team_handlers.hpp>
#include <libam/face/guard.hpp>

#include <am/team.h>
#include <am/detail/team_calls.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

using am::detail::core::of;
using am::detail::face::guarded;
using am::detail::face::no_endpoint;

namespace {

namespace engine = am::detail;
using engine::base::fail;

constexpr engine::team_handlers handlers{&engine::core::team_few_handler,
                                         &engine::core::team_piece_handler};

// The caller's own: what is posted may end the endpoint inside a collective.
std::shared_ptr<engine::team_place> team_of(am_ep* ep) {
  std::shared_ptr<void>& kept = of(ep).attached.team;
  if (kept == nullptr)
    kept = std::make_shared<engine::team_place>(ep, handlers, engine::team_board::of_job,
                                                engine::team_of_all(ep), am_ep_rank(ep));
  return std::static_pointer_cast<engine::team_place>(kept);
}

// Calls check() for the arguments, then steps(team) for the collective itself.
template <class Check, class Steps>
am_status collective(am_ep* ep, const char* call, Check&& check, Steps&& steps) noexcept {
  if (ep == nullptr) return no_endpoint();
  if (!of(ep).dispatch().in_order()) return of(ep).dispatch().refuse(call);
  if (const am_status status = check(); status != AM_OK) return status;
  return guarded([&] {
    try {
      const std::shared_ptr<engine::team_place> team = team_of(ep);
      engine::team_begin(*team);
      steps(*team);
      engine::team_finish(*team);
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
    return fail(AM_ARGUMENT_ADDRESS, "{} at {}: a value stands at a multiple of {}", call, values,
                size);
  return AM_OK;
}

template <class T, class Op>
void reduce(engine::team_place& team, void* values, std::size_t count, Op op) {
  engine::team_all_reduce(team, std::span(static_cast<T*>(values), count), op);
}

template <class T>
void reduce_order(engine::team_place& team, void* values, std::size_t count, am_reduce_op op) {
  if (op == AM_MIN) return reduce<T>(team, values, count, [](T a, T b) { return std::min(a, b); });
  reduce<T>(team, values, count, [](T a, T b) { return std::max(a, b); });
}

// Where it makes no difference, integers with a sign are taken for those without: no sum overflows.
void reduce_integers(engine::team_place& team, void* values, std::size_t count, bool with_sign,
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

// Not by comparison: with a NaN among them the result would hang on how the values are grouped.
void reduce_doubles(engine::team_place& team, void* values, std::size_t count, am_reduce_op op) {
  if (op == AM_SUM) return reduce<double>(team, values, count, std::plus<>());
  if (op == AM_MIN)
    return reduce<double>(team, values, count, [](double a, double b) { return std::fmin(a, b); });
  reduce<double>(team, values, count, [](double a, double b) { return std::fmax(a, b); });
}

}  // namespace

extern "C" {

am_status am_ep_barrier(am_ep* ep) {
  return collective(
      ep, "barrier", [] { return AM_OK; }, engine::team_barrier);
}

am_status am_ep_broadcast(am_ep* ep, am_rank root, void* data, size_t bytes) {
  const auto check = [&] {
    if (root >= of(ep).peers().ranks())
      return fail(AM_ARGUMENT_RANK, "broadcast from rank {}: this job has ranks 0 to {}", root,
                  of(ep).peers().ranks() - 1);
    if (data == nullptr && bytes != 0)
      return fail(AM_ARGUMENT_ADDRESS, "broadcast of {} bytes at 0x0 here: there is no such memory",
                  bytes);
    return AM_OK;
  };
  return collective(ep, "broadcast", check, [&](engine::team_place& team) {
    engine::team_broadcast(team, root, std::span(static_cast<std::byte*>(data), bytes));
  });
}

am_status am_ep_all_reduce(am_ep* ep, void* values, size_t count, am_value_type type,
                           am_reduce_op op) {
  const auto check = [&] { return check_reduction(values, count, type, op); };
  return collective(ep, "all_reduce", check, [&](engine::team_place& team) {
    if (type == AM_DOUBLE) return reduce_doubles(team, values, count, op);
    reduce_integers(team, values, count, type == AM_INT64, op);
  });
}

}  // extern "C"
