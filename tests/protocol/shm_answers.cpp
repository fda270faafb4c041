// Requests with room over shm, step by step: where answers go, and that invalid ones end the job.
#include "shm_job.hpp"

#include <transports/shm/slot.hpp>

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace protocol_shm_answers {

using namespace am_test;
namespace seam = am::detail::seam;
namespace shm = am::detail::shm;
using form = seam::answer::form;
using rooms = std::vector<std::pair<form, std::size_t>>;

namespace {

am_status request_with_room(shm_rank& from, am_rank to, std::uint32_t handler, am_word word,
                            std::size_t bytes, seam::answer_place room) {
  const std::vector<std::byte> data(bytes);
  const am_word words[AM_WORDS] = {word, 2, 3, 4};
  seam::port& port = from.to(to);
  port.credits.take();
  const am_status status = port.send_with_room(handler, words, data.data(), bytes, room);
  if (status != AM_OK) port.credits.put_back();
  return status;
}

// Whether `then` ends a job of two in which rank 0 has sent a request with room for an answer.
template <class Then>
bool job_ends_by(std::size_t bytes, seam::answer_place room, Then&& then) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    (void)::signal(SIGABRT, SIG_DFL);
    shm_job job(2, 16, 64);
    if (job[0].to(1).make_answer_room(65536) != AM_OK) ::_exit(1);
    if (request_with_room(job[0], 1, replying, 1, bytes, room) != AM_OK) ::_exit(1);
    then(job);
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE((WIFSIGNALED(status) || WEXITSTATUS(status) == 0));
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

// Whether the job ends when rank 1 finds the first slot of rank 0's requests changed by `change`.
bool job_ends(void (*change)(shm::slot&)) {
  return job_ends_by(8, {65536, 100}, [&](shm_job& job) {
    change(job.request_slot(0, 1, 0));
    (void)job[1].poll();
  });
}

void set_room(shm::slot& one, std::uint64_t steps) {
  const std::uint64_t control = one.control.load(std::memory_order_relaxed);
  one.control.store((control & 0xffffffffffffU) | steps << 48, std::memory_order_relaxed);
}

}  // namespace

TEST_CASE("requests with room are answered, with or without a payload, and none is silent") {
  shm_job job(2, 16, 64);
  REQUIRE(job[0].to(1).make_answer_room(65536) == AM_OK);
  REQUIRE(request_with_room(job[0], 1, replying, 1, 0, {0, 100}) == AM_OK);
  REQUIRE(request_with_room(job[0], 1, replying, 2, 300, {144, 100}) == AM_OK);
  REQUIRE(request_with_room(job[0], 1, silent, 3, 0, {288, 100}) == AM_OK);
  REQUIRE(request_with_room(job[0], 1, 77, 4, 0, {432, 100}) == AM_OK);  // there is no such handler
  CHECK(job[1].poll() == 4);
  CHECK(job[1].seen.all == std::vector<recorder::handler_run>{
                               {0, replying, 1, 0}, {0, replying, 2, 300}, {0, silent, 3, 0}});
  CHECK(job[0].poll() == 4);
  CHECK(job[0].seen.released_rooms ==
        rooms{{form::words, 0}, {form::words, 0}, {form::words, 0}, {form::returned, 0}});
  CHECK(job[0].to(1).credits.in_flight() == 0);
  (void)job[1].poll();
  CHECK(job.channel(0, 1).silent == 0);
}

TEST_CASE("the payload of a request with room is released like others") {
  shm_job job(2, 4096, 64);
  REQUIRE(job[0].to(1).make_answer_room(65536) == AM_OK);
  for (am_word i = 0; i < 200; ++i) {
    REQUIRE(request_with_room(job[0], 1, replying, i, 16384, {0, 0}) == AM_OK);
    CHECK(job[1].poll(2) == 1);
    CHECK(job[0].poll(2) == 1);
    // In between, a request without payload, which moves no counter.
    REQUIRE(request_with_room(job[0], 1, replying, i, 0, {0, 0}) == AM_OK);
    CHECK(job[1].poll(2) == 1);
    CHECK(job[0].poll(2) == 1);
  }
  CHECK(job[0].seen.released_rooms.size() == 400);
}

TEST_CASE("a request that names an answer address outside the room ends the job") {
  CHECK_FALSE(job_ends([](shm::slot&) {}));
  // At the end of the largest room, and beyond it.
  CHECK_FALSE(job_ends([](shm::slot& one) { set_room(one, (131072 - 132) / 16); }));
  CHECK(job_ends([](shm::slot& one) { set_room(one, (131072 - 132) / 16 + 1); }));
  CHECK(job_ends([](shm::slot& one) { set_room(one, 0xffff); }));
  CHECK_FALSE(job_ends([](shm::slot& one) { one.payload.room = 16384; }));
  CHECK(job_ends([](shm::slot& one) { one.payload.room = 16385; }));
  CHECK(job_ends([](shm::slot& one) { one.payload.room = ~std::uint32_t{0}; }));
  CHECK(job_ends([](shm::slot& one) { one.payload.offset = ~std::uint32_t{0}; }));
  CHECK(job_ends([](shm::slot& one) { one.payload.bytes = 16384 + 33; }));
}

TEST_CASE("an answer of an invalid form, or with a payload outside the room, ends the job") {
  const auto ends_at = [](std::uint64_t flags, void* where, std::uint64_t bytes) {
    return job_ends_by(0, {0, 100}, [&](shm_job& job) {
      (void)job[1].poll();
      shm::slot& reply = job.reply_slot(0, 1, 0);
      reply.bulk = {where, bytes};
      const auto lap = shm::generation_of(reply.control.load(std::memory_order_relaxed));
      reply.control.store(shm::control_of(shm::kind::answer, replied, flags << 24) | lap,
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

}  // namespace protocol_shm_answers
