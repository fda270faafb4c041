// The parts of am.hpp and team.hpp beyond the calls of am.h: they throw, they convert times, their
// objects can be empty.
#include "table.hpp"

#include <am/team.hpp>

#include <chrono>
#include <cmath>
#include <limits>
#include <new>

namespace am_test {

namespace {

void on_request(am::request_token) {}

// The endpoint of a row in C++. Its destructor, which would leave the job, never runs.
class endpoint_view {
 public:
  explicit endpoint_view(const place& at) : ep(*new (room_) am::endpoint(at.ep)) {}
  endpoint_view(const endpoint_view&) = delete;
  endpoint_view& operator=(const endpoint_view&) = delete;

 private:
  alignas(am::endpoint) std::byte room_[sizeof(am::endpoint)];

 public:
  am::endpoint& ep;
};

am_status status_of_throw(const place& at, const std::function<void(am::endpoint&)>& call) {
  endpoint_view here(at);
  return thrown_by([&] { call(here.ep); });
}

template <class Time>
am_status wait_for_time(const place& at, Time time) {
  endpoint_view here(at);
  return here.ep.wait_for([] { return false; }, time).code();
}

void add_times(table& rows) {
  using seconds = std::chrono::duration<double>;
  const char* call = "am::endpoint::wait_for";
  for (const double time :
       {-1.0, -HUGE_VAL, std::nan(""), -std::numeric_limits<double>::max(), 0.0})
    rows.push_back({call, "no time", AM_AGAIN_TIME, "",
                    [time](const place& at) { return wait_for_time(at, seconds(time)); }});
  rows.push_back({call, "the shortest time", AM_AGAIN_TIME, "",
                  [](const place& at) { return wait_for_time(at, std::chrono::hours::min()); }});
  rows.push_back({call, "for ever, in any unit", AM_OK, "", [](const place& at) {
                    endpoint_view here(at);
                    int asked = 0;
                    const auto done = [&] { return ++asked > 3; };
                    for (const double time : {HUGE_VAL, std::numeric_limits<double>::max(), 1e12}) {
                      asked = 0;
                      if (!here.ep.wait_for(done, seconds(time)).ok()) return AM_ENDPOINT_CORRUPT;
                    }
                    asked = 0;
                    return here.ep.wait_for(done, std::chrono::hours::max()).code();
                  }});
}

void add_empty_objects(table& rows) {
  rows.push_back({"am::endpoint", "an empty one", AM_USAGE_LEFT, no_endpoint, [](const place&) {
                    am::endpoint none(nullptr);
                    return thrown_by([&] { none.request<on_request>(0); });
                  }});
  rows.push_back({"am::endpoint::post", "an empty one", AM_USAGE_LEFT, no_endpoint,
                  [](const place&) { return am::endpoint(nullptr).post([] {}).code(); }});
  rows.push_back({"am::segment", "an empty one", AM_OK, "", [](const place&) {
                    const am::segment none(nullptr);
                    return as_status(none.address() == nullptr && none.size() == 0 &&
                                     none.address_at(0) == nullptr && none.bytes().empty());
                  }});
}

void add_throws(table& rows) {
  rows.push_back({"am::endpoint::request", "a rank too far", AM_ARGUMENT_RANK,
                  std::string("request to rank [0-9]+") + these_ranks, [](const place& at) {
                    return status_of_throw(
                        at, [&](am::endpoint& ep) { ep.request<on_request>(at.ranks); });
                  }});
  rows.push_back(
      {"am::endpoint::job_get", "a missing key", AM_ARGUMENT_SETTING,
       "am_job_get: rank 0 had not put \"nothing\" before the last fence: .*", [](const place& at) {
         return status_of_throw(at, [](am::endpoint& ep) { (void)ep.job_get(0, "nothing"); });
       }});
  rows.push_back({"am::segment", "of no bytes", AM_ARGUMENT_SIZE,
                  "a segment of 0 bytes: it may have 1 to [0-9]+", [](const place& at) {
                    return status_of_throw(at, [](am::endpoint& ep) { (void)am::segment(ep, 0); });
                  }});
}

// The text of a team's error is in what() only.
am_status status_of_team_throw(const place& at, const std::string& part,
                               const std::function<void(am::team&)>& call) {
  endpoint_view here(at);
  am::team all(here.ep);
  try {
    call(all);
  } catch (const am::error& refused) {
    const bool has_part = std::string(refused.what()).find(part) != std::string::npos;
    // The team still works.
    const bool works = all.all_reduce(1U, std::plus<>()) == at.ranks;
    return has_part && works ? refused.status().code() : AM_ENDPOINT_CORRUPT;
  }
  return AM_OK;
}

void add_teams(table& rows) {
  rows.push_back({"am::team", "an empty endpoint", AM_USAGE_LEFT, ".*null.*", [](const place&) {
                    return thrown_by([] { const am::team none((am::endpoint(nullptr))); });
                  }});
  rows.push_back(
      {"am::team::broadcast", "a root too far", AM_ARGUMENT_RANK, "", [](const place& at) {
         return status_of_team_throw(at, ": this team has ranks 0 to ",
                                     [&](am::team& all) { (void)all.broadcast(at.ranks, 1); });
       }});
  rows.push_back(
      {"am::team::job_rank", "a rank too far", AM_ARGUMENT_RANK, "", [](const place& at) {
         return status_of_team_throw(at, "job_rank with rank 4294967295: this team has ranks 0 to ",
                                     [](am::team& all) { (void)all.job_rank(~am::rank_id{0}); });
       }});
  rows.push_back(
      {"am::team::all_gather", "too little room", AM_ARGUMENT_SIZE, "", [](const place& at) {
         return status_of_team_throw(at, "all_gather with room for 0 values: ", [](am::team& all) {
           std::vector<int> none;
           all.all_gather(std::vector<int>{1, 2}, none);
         });
       }});
  rows.push_back(
      {"am::team::split", "any colour and key is a good one", AM_OK, "", [](const place& at) {
         return status_of_team_throw(at, "", [&](am::team& all) {
           constexpr int least = std::numeric_limits<int>::min();
           constexpr int most = std::numeric_limits<int>::max();
           am::team part = all.split(at.rank % 2 == 0 ? least : most, least);
           part.barrier();
         });
       }});
}

}  // namespace

am_status thrown_by(const std::function<void()>& call) {
  try {
    call();
  } catch (const am::error& refused) {
    return std::string(refused.what()) == am_error_text() ? refused.status().code()
                                                          : AM_ENDPOINT_CORRUPT;
  }
  return AM_OK;
}

void add_cpp_calls(table& rows) {
  add_throws(rows);
  add_times(rows);
  add_empty_objects(rows);
  add_teams(rows);
}

}  // namespace am_test
