// What an agent gathers of its ranks for a fence, and how am-run reads it.
#include <libam/tools/am-run/remote/agent_reports.hpp>
#include <libam/tools/am-run/remote/contribution_gatherer.hpp>

#include <doctest/doctest.h>

#include <string>
#include <tuple>
#include <vector>

using namespace am::detail;
using run::contribution_gatherer;

namespace {

class taken_events final : public run::host_events {
 public:
  std::vector<std::tuple<am_rank, unsigned, std::string>> contributed;

  void on_contributed(am_rank rank, unsigned epoch, std::string blobs) override {
    contributed.emplace_back(rank, epoch, std::move(blobs));
  }
  void on_started(am_rank, pid_t) override {}
  void on_ended(am_rank, int) override {}
  void on_explained(am_rank, bool) override {}
  void on_host_lost(const run::rank_set&, std::string) override {}
  void on_message(std::string) override {}
  void on_secret_wanted(unsigned) override {}
  void on_joined(am_rank, unsigned, pid_t) override {}
  void on_watching(am_rank, unsigned, std::uint64_t) override {}
  void on_left(am_rank, unsigned) override {}
  void on_lost(am_rank) override {}
  void on_aborted(am_rank, int, std::string) override {}
  void on_failed(int, std::string) override {}
};

struct frames_up {
  std::vector<std::string> frames;
  contribution_gatherer gatherer{[this](std::string frame) { frames.push_back(std::move(frame)); }};
};

std::string blob(std::string_view value) {
  std::string out;
  seam::add_blob(out, "key", seam::as_bytes(value));
  return out;
}

bool read(const std::vector<std::string>& frames, taken_events& events) {
  run::agent_reports reports(events, run::rank_set({1, 2, 5}, 9));
  for (const am_rank rank : {1, 2})
    (void)reports.read(run::host_frame::started,
                       seam::as_bytes(run::make_host_frame(run::host_frame::started, rank, 7U))
                           .subspan(2 * sizeof(std::uint32_t)));
  boot::frame_reader reader(run::most_up_bytes);
  for (const std::string& each : frames) reader.feed(seam::as_bytes(each));
  while (const auto one = reader.next())
    if (!reports.read(static_cast<run::host_frame>(one->kind), one->body)) return false;
  return !reader.broken();
}

}  // namespace

TEST_CASE("the blobs of all ranks go up in one frame when the last has arrived") {
  frames_up up;
  up.gatherer.expect(2);
  up.gatherer.add(2, 1, blob("two"));
  CHECK(up.frames.empty());
  up.gatherer.add(1, 1, "");
  REQUIRE(up.frames.size() == 1);
  CHECK(!up.gatherer.deadline());
  taken_events events;
  REQUIRE(read(up.frames, events));
  REQUIRE(events.contributed.size() == 2);
  CHECK(events.contributed[0] == std::tuple(am_rank{2}, 1U, blob("two")));
  CHECK(events.contributed[1] == std::tuple(am_rank{1}, 1U, std::string()));
}

TEST_CASE("a rank that does not arrive keeps the blobs of others back for a moment alone") {
  frames_up up;
  up.gatherer.expect(2);
  up.gatherer.add(1, 1, blob("one"));
  const auto due = up.gatherer.deadline();
  REQUIRE(due);
  up.gatherer.send_if_due(*due - std::chrono::nanoseconds(1));
  CHECK(up.frames.empty());
  up.gatherer.send_if_due(*due);
  CHECK(up.frames.size() == 1);
  CHECK(!up.gatherer.deadline());
  up.gatherer.send();  // nothing is left
  CHECK(up.frames.size() == 1);
}

TEST_CASE("a rank that has died is not waited for, but in its next join") {
  frames_up up;
  up.gatherer.expect(2);
  up.gatherer.note_retired(1);
  up.gatherer.add(1, 1, blob("one"));
  CHECK(up.frames.size() == 1);
  up.gatherer.add(1, 2, blob("one"));
  CHECK(up.frames.size() == 1);
  up.gatherer.add(2, 2, blob("two"));
  CHECK(up.frames.size() == 2);
}

TEST_CASE("the blobs of two joins go up apart, and no frame is larger than may be read") {
  frames_up up;
  up.gatherer.expect(3);
  up.gatherer.add(1, 1, blob("old"));
  up.gatherer.add(2, 2, blob(std::string(boot::most_fence_bytes - 100, 'x')));
  up.gatherer.add(1, 2, blob(std::string(boot::most_fence_bytes - 100, 'y')));
  CHECK(up.frames.size() == 2);
  up.gatherer.send();
  CHECK(up.frames.size() == 3);
  taken_events events;
  REQUIRE(read(up.frames, events));
  REQUIRE(events.contributed.size() == 3);
  CHECK(std::get<1>(events.contributed[0]) == 1);
  CHECK(std::get<1>(events.contributed[1]) == 2);
}

TEST_CASE("contributions of ranks that run nowhere there, or that are no blobs, are refused") {
  const auto is_read = [](am_rank rank, std::string_view blobs) {
    frames_up up;
    up.gatherer.add(rank, 1, blobs);
    taken_events events;
    return read(up.frames, events);
  };
  CHECK(is_read(1, blob("one")));
  CHECK(!is_read(5, blob("not started")));
  CHECK(!is_read(0, blob("of another host")));
  CHECK(!is_read(3, blob("of another host")));
  CHECK(!is_read(1, blob("cut").substr(1)));
}
