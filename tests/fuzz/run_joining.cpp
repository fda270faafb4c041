// A rank's side of the conversation with am-run: welcome, fences and anything else, in any bytes.
// The rank joins or does not, and no fence waits for an answer that can no longer come.
#include "target.hpp"

#include <libam/base/bell.hpp>
#include <libam/base/error.hpp>
#include <libam/base/passing.hpp>
#include <libam/base/shared_memory.hpp>
#include <libam/boot/run/protocol.hpp>
#include <libam/boot/run/run.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

using namespace am::detail;
using am_test::fuzz::taken;

namespace {

// The far ends of what a rank makes. They live as long as the rank does: the end of its lifeline
// would end this process.
struct far_ends {
  base::fd door;
  std::vector<base::fd> passed;
};

std::string welcome(taken& in) {
  std::string body;
  const bool right = in.byte() % 4 != 0;
  seam::add_number(body, boot::protocol_version + (right ? 0 : in.number()));
  seam::add_number(body, in.byte() % 4);
  seam::add_number(body, right ? 1U + in.byte() % 8 : in.number());
  seam::add_number(body, in.byte());
  seam::add_number(body, boot::not_bound);
  body.append(in.byte() % 4 != 0 ? sizeof(seam::job_secret) : in.byte(), 's');
  return boot::make_frame(boot::frame_kind::welcome, body);
}

// As am-run would: waits for hello, then answers it.
void answer(far_ends& ends, const std::string& first, unsigned descriptors, bool is_whole) {
  std::array<std::byte, 64> hello;
  if (base::receive_with(ends.door.get(), hello, ends.passed, 0) <= 0 || ends.passed.empty())
    return;
  base::fd memory;
  base::fd bell;
  AM_PROMISE(base::shared_memory::create(memory) == AM_OK && base::bell::create(bell) == AM_OK);
  const int both[] = {memory.get(), bell.get()};
  (void)base::send_with(ends.passed[0].get(), first, std::span(both).first(descriptors), 0);
  if (!is_whole) ::shutdown(ends.passed[0].get(), SHUT_WR);  // or the rank would wait for the rest
}

bool has_whole_frame(const std::string& bytes) {
  boot::frame_reader reader(boot::most_line_bytes);
  reader.feed(std::as_bytes(std::span(bytes.data(), bytes.size())));
  return reader.next().has_value();
}

// `heard` follows what am-run has said.
void meet(seam::boot& rank, far_ends& ends, taken& in, boot::frame_reader& heard) {
  const std::string_view blob = in.text(in.byte() % 16);
  (void)rank.put("key", std::as_bytes(std::span(blob.data(), blob.size())));
  if (rank.start_fence() != AM_OK) return;
  std::string said;
  if (in.byte() % 4 == 0) {
    said = in.text(300);
  } else {
    std::string body;
    for (am_rank each = 0; each < rank.ranks(); ++each) {
      const std::string_view part = in.text(in.byte() % 32);
      seam::add_number(body, static_cast<std::uint32_t>(part.size()));
      body += part;
    }
    said = boot::make_frame(boot::frame_kind::fenced, body);
  }
  // The rank hears as much as the socket takes.
  const long sent = base::send_with(ends.passed[0].get(), said, {}, MSG_DONTWAIT);
  said.resize(static_cast<std::size_t>(std::max(sent, 0L)));
  am_status status = AM_AGAIN_CONNECTING;
  for (unsigned i = 0; i < 5 && status == AM_AGAIN_CONNECTING; ++i) status = rank.fence_done();
  heard.feed(std::as_bytes(std::span(said.data(), said.size())));
  if (heard.next().has_value() || heard.broken()) AM_PROMISE(status != AM_AGAIN_CONNECTING);
  std::vector<std::byte> got;
  for (am_rank each = 0; each <= rank.ranks(); ++each) (void)rank.get(each, "key", got);
}

}  // namespace

AM_FUZZ_TARGET(run_joining) {
  taken in(input);
  int doors[2];
  AM_PROMISE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, doors) == 0);
  far_ends ends{base::fd(doors[0]), {}};
  const base::fd door(doors[1]);
  const bool raw = in.byte() % 4 == 0;
  const unsigned descriptors = in.byte() % 8 == 0 ? in.byte() % 3 : 2;
  const std::string first = raw ? std::string(in.text(in.byte())) + '\0' : welcome(in);
  ::setenv("AM_JOB_FD", std::to_string(door.get()).c_str(), 1);
  std::thread am_run([&] { answer(ends, first, descriptors, has_whole_frame(first)); });
  std::string why;
  {
    const auto rank = boot::join_run(why);
    am_run.join();
    AM_PROMISE((rank != nullptr) == why.empty());
    if (rank != nullptr) {
      AM_PROMISE(rank->rank() < rank->ranks());
      boot::frame_reader heard(boot::most_fenced_bytes);
      for (unsigned fences = 0; fences < 4 && !in.empty(); ++fences) meet(*rank, ends, in, heard);
    }
  }
  ::unsetenv("AM_JOB_FD");
}
