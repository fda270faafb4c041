// The collectives of team.h. A call that is refused at every rank has sent nothing: the next one
// works.
#include "table.hpp"

#include <am/team.h>

#include <cstdint>

namespace am_test {

namespace {

std::uint64_t values[2];

am_status all_reduce(const place& at, void* where, std::size_t count, unsigned type, unsigned op) {
  return am_ep_all_reduce(at.ep, where, count, static_cast<am_value_type>(type),
                          static_cast<am_reduce_op>(op));
}

void add_reductions(table& rows) {
  struct bad {
    const char* what;
    am_status status;
    std::string line;
    std::size_t count;
    unsigned type;
    unsigned op;
  };
  const bad tried[] = {
      {"no type", AM_ARGUMENT_SIZE, "all_reduce: type 3: there are 0 to 2", 1, 3, AM_SUM},
      {"no operation", AM_ARGUMENT_SIZE, "all_reduce: operation 6: integers have 0 to 5", 1,
       AM_INT64, 6},
      {"bits of doubles", AM_ARGUMENT_SIZE, "all_reduce: operation 3: doubles have 0 to 2", 1,
       AM_DOUBLE, AM_BIT_AND},
      {"more than there can be", AM_ARGUMENT_SIZE,
       "all_reduce of 1152921504606846976 values: there can be 1152921504606846975 at most",
       std::size_t{1} << 60, AM_UINT64, AM_SUM},
  };
  for (const bad& one : tried)
    rows.push_back({"am_ep_all_reduce", one.what, one.status, one.line, [one](const place& at) {
                      return all_reduce(at, values, one.count, one.type, one.op);
                    }});
  rows.push_back({"am_ep_all_reduce", "null values", AM_ARGUMENT_ADDRESS,
                  "all_reduce of 1 values at 0x0 here: there is no such memory",
                  [](const place& at) { return all_reduce(at, nullptr, 1, AM_INT64, AM_SUM); }});
  rows.push_back({"am_ep_all_reduce", "values where none stand", AM_ARGUMENT_ADDRESS,
                  "all_reduce at 0x[0-9a-f]+: the address of a value must be a multiple of 8",
                  [](const place& at) {
                    auto* const there = reinterpret_cast<char*>(values) + 4;
                    return all_reduce(at, there, 1, AM_INT64, AM_SUM);
                  }});
  rows.push_back({"am_ep_all_reduce", "nothing to combine, at null", AM_OK, "",
                  [](const place& at) { return all_reduce(at, nullptr, 0, AM_DOUBLE, AM_MAX); }});
}

}  // namespace

void add_collectives(table& rows) {
  const char* call = "am_ep_broadcast";
  for (const am_rank beyond : {am_rank{0}, am_rank{1000}})
    rows.push_back({call, "a root too far", AM_ARGUMENT_RANK,
                    std::string("broadcast from rank [0-9]+") + these_ranks,
                    [beyond](const place& at) {
                      return am_ep_broadcast(at.ep, at.ranks + beyond, values, 8);
                    }});
  rows.push_back({call, "null data", AM_ARGUMENT_ADDRESS,
                  "broadcast of 8 bytes at 0x0 here: there is no such memory",
                  [](const place& at) { return am_ep_broadcast(at.ep, 0, nullptr, 8); }});
  rows.push_back({call, "nothing, at null", AM_OK, "",
                  [](const place& at) { return am_ep_broadcast(at.ep, 0, nullptr, 0); }});
  add_reductions(rows);
  rows.push_back({"am_ep_barrier", "after all that was refused", AM_OK, "",
                  [](const place& at) { return am_ep_barrier(at.ep); }});
}

}  // namespace am_test
