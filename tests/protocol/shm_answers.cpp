// Requests with room over shm, step by step: where answers go, and what is said of one that cannot
// be right.
#include "shm_steps.hpp"

#include <transports/shm/slot.hpp>

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace am_test;
namespace seam = am::detail::seam;
namespace shm = am::detail::shm;
using form = seam::answer::form;
using given = std::vector<std::pair<form, std::size_t>>;

namespace {

am_status ask(node& from, am_rank to, std::uint32_t handler, am_word word, std::size_t bytes,
              seam::answer_place room) {
  const std::vector<std::byte> data(bytes);
  const am_word words[AM_WORDS] = {word, 2, 3, 4};
  seam::port& port = from.to(to);
  port.credits.take();
  const am_status status = port.send_with_room(handler, words, data.data(), bytes, room);
  if (status != AM_OK) port.credits.put_back();
  return status;
}

// Whether a job of two, in which rank 0 has asked with room for an answer, ends by what follows.
template <class Then>
bool ends_by(std::size_t bytes, seam::answer_place room, Then&& then) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    (void)::signal(SIGABRT, SIG_DFL);
    shm_job job(2, 16, 64);
    if (job[0].to(1).make_answer_room(65536) != AM_OK) ::_exit(1);
    if (ask(job[0], 1, asking, 1, bytes, room) != AM_OK) ::_exit(1);
    then(job);
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE((WIFSIGNALED(status) || WEXITSTATUS(status) == 0));
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

// The same when rank 1 finds that in the first slot of the requests of rank 0.
bool ends(void (*change)(shm::slot&)) {
  return ends_by(8, {65536, 100}, [&](shm_job& job) {
    change(job.request_slot(0, 1, 0));
    (void)job[1].poll();
  });
}

void set_room(shm::slot& one, std::uint64_t steps) {
  const std::uint64_t control = one.control.load(std::memory_order_relaxed);
  one.control.store((control & 0xffffffffffffU) | steps << 48, std::memory_order_relaxed);
}

}  // namespace

TEST_CASE("requests with room are answered, with a payload or none, and none is silent") {
  shm_job job(2, 16, 64);
  REQUIRE(job[0].to(1).make_answer_room(65536) == AM_OK);
  REQUIRE(ask(job[0], 1, asking, 1, 0, {0, 100}) == AM_OK);
  REQUIRE(ask(job[0], 1, asking, 2, 300, {144, 100}) == AM_OK);
  REQUIRE(ask(job[0], 1, silent, 3, 0, {288, 100}) == AM_OK);
  REQUIRE(ask(job[0], 1, 77, 4, 0, {432, 100}) == AM_OK);  // there is no such handler
  CHECK(job[1].poll() == 4);
  CHECK(job[1].seen.all ==
        std::vector<recorder::ran>{{0, asking, 1, 0}, {0, asking, 2, 300}, {0, silent, 3, 0}});
  CHECK(job[0].poll() == 4);
  CHECK(job[0].seen.gave_room ==
        given{{form::words, 0}, {form::words, 0}, {form::words, 0}, {form::returned, 0}});
  CHECK(job[0].to(1).credits.on_their_way() == 0);
  (void)job[1].poll();
  CHECK(job.lines(0, 1).silent == 0);
}

TEST_CASE("the payload of a request with room comes back like others") {
  shm_job job(2, 4096, 64);
  REQUIRE(job[0].to(1).make_answer_room(65536) == AM_OK);
  for (am_word i = 0; i < 200; ++i) {
    REQUIRE(ask(job[0], 1, asking, i, 16384, {0, 0}) == AM_OK);
    CHECK(job[1].poll(2) == 1);
    CHECK(job[0].poll(2) == 1);
    // Between them one without payload, which moves no counter.
    REQUIRE(ask(job[0], 1, asking, i, 0, {0, 0}) == AM_OK);
    CHECK(job[1].poll(2) == 1);
    CHECK(job[0].poll(2) == 1);
  }
  CHECK(job[0].seen.gave_room.size() == 400);
}

TEST_CASE("a request that says that its answer goes elsewhere than in the room ends the job") {
  CHECK_FALSE(ends([](shm::slot&) {}));
  // At the end of all that a room can have, and behind it.
  CHECK_FALSE(ends([](shm::slot& one) { set_room(one, (131072 - 132) / 16); }));
  CHECK(ends([](shm::slot& one) { set_room(one, (131072 - 132) / 16 + 1); }));
  CHECK(ends([](shm::slot& one) { set_room(one, 0xffff); }));
  CHECK_FALSE(ends([](shm::slot& one) { one.payload.room = 16384; }));
  CHECK(ends([](shm::slot& one) { one.payload.room = 16385; }));
  CHECK(ends([](shm::slot& one) { one.payload.room = ~std::uint32_t{0}; }));
  CHECK(ends([](shm::slot& one) { one.payload.offset = ~std::uint32_t{0}; }));
  CHECK(ends([](shm::slot& one) { one.payload.bytes = 16384 + 33; }));
}

TEST_CASE("so does an answer of no form, or one whose payload is not in the room") {
  const auto ends_at = [](std::uint64_t flags, void* where, std::uint64_t bytes) {
    return ends_by(0, {0, 100}, [&](shm_job& job) {
      (void)job[1].poll();
      shm::slot& reply = job.reply_slot(0, 1, 0);
      reply.bulk = {where, bytes};
      const auto lap = shm::generation_of(reply.control.load(std::memory_order_relaxed));
      reply.control.store(shm::control_of(shm::kind::answer, answered, flags << 24) | lap,
                          std::memory_order_relaxed);
      (void)job[0].poll();
    });
  };
  const auto at = [](std::uintptr_t offset) { return reinterpret_cast<void*>(offset); };
  const auto payload = static_cast<std::uint64_t>(form::payload);
  CHECK_FALSE(ends_at(payload, at(0), 100));
  CHECK_FALSE(ends_at(payload, at(65536 - 100), 100));
  CHECK(ends_at(payload, at(65536 - 99), 100));
  CHECK(ends_at(payload, at(~std::uintptr_t{0}), 100));
  CHECK(ends_at(payload, at(0), 65537));
  CHECK(ends_at(payload, at(16), ~std::uint64_t{0}));
  CHECK(ends_at(4, at(0), 0));
  CHECK_FALSE(ends_at(3, at(0), 12345));
}
