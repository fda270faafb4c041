// A rank's side of the connection to am-run: welcome, fences and anything else, in any bytes. The
// rank joins or fails, and no fence waits for an answer that can no longer come.
#include "target.hpp"

#include <libam/base/descriptor_passing.hpp>
#include <libam/base/error.hpp>
#include <libam/base/shared_memory.hpp>
#include <libam/base/wakeup.hpp>
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
using am_test::fuzz::input_reader;

namespace {

// The far ends of the rank's sockets. They exist as long as the rank: the end of its lifeline would
// end this process.
struct far_ends {
  base::fd join_socket;
  std::vector<base::fd> passed;
};

std::string welcome(input_reader& in) {
  std::string body;
  const bool right = in.byte() % 4 != 0;
  seam::add_number(body, boot::protocol_version + (right ? 0 : in.number()));
  seam::add_number(body, in.byte() % 4);
  seam::add_number(body, right ? 1U + in.byte() % 8 : in.number());
  seam::add_number(body, right ? 1U : in.number());
  seam::add_number(body, in.byte());
  seam::add_number(body, boot::not_bound);
  seam::add_long(body, 1);
  body.append(in.byte() % 4 != 0 ? sizeof(seam::job_secret) : in.byte(), 's');
  return boot::make_frame(boot::frame_kind::welcome, body);
}

// As am-run: waits for a hello, then answers it.
void answer_hello(far_ends& ends, const std::string& first, unsigned descriptors, bool is_whole) {
  std::array<std::byte, 64> hello;
  if (base::receive_with_descriptors(ends.join_socket.get(), hello, ends.passed, 0) <= 0 ||
      ends.passed.empty())
    return;
  base::fd memory;
  base::fd wakeup;
  AM_PROMISE(base::shared_memory::create(memory) == AM_OK && base::wakeup::create(wakeup) == AM_OK);
  const int both[] = {memory.get(), wakeup.get()};
  (void)base::send_with_descriptors(ends.passed[0].get(), first, std::span(both).first(descriptors),
                                    0);
  // Otherwise the rank would wait for the rest.
  if (!is_whole) ::shutdown(ends.passed[0].get(), SHUT_WR);
}

bool has_whole_frame(const std::string& bytes) {
  boot::frame_reader reader(boot::most_line_bytes);
  reader.feed(std::as_bytes(std::span(bytes.data(), bytes.size())));
  return reader.next().has_value();
}

// `parser` has read what am-run has sent.
void run_fence(seam::boot& rank, far_ends& ends, input_reader& in, boot::frame_reader& parser) {
  const std::string_view blob = in.text(in.byte() % 16);
  (void)rank.put("key", std::as_bytes(std::span(blob.data(), blob.size())));
  if (rank.start_fence() != AM_OK) return;
  std::string sent_bytes;
  if (in.byte() % 4 == 0) {
    sent_bytes = in.text(300);
  } else {
    std::string body;
    for (am_rank each = 0; each < rank.ranks(); ++each) {
      const std::string_view part = in.text(in.byte() % 32);
      seam::add_number(body, static_cast<std::uint32_t>(part.size()));
      body += part;
    }
    sent_bytes = boot::make_frame(boot::frame_kind::fenced, body);
  }
  // The rank receives as much as the socket takes.
  const long sent = base::send_with_descriptors(ends.passed[0].get(), sent_bytes, {}, MSG_DONTWAIT);
  sent_bytes.resize(static_cast<std::size_t>(std::max(sent, 0L)));
  am_status status = AM_AGAIN_CONNECTING;
  for (unsigned i = 0; i < 5 && status == AM_AGAIN_CONNECTING; ++i) status = rank.fence_done();
  parser.feed(std::as_bytes(std::span(sent_bytes.data(), sent_bytes.size())));
  if (parser.next().has_value() || parser.broken()) AM_PROMISE(status != AM_AGAIN_CONNECTING);
  std::vector<std::byte> got;
  for (am_rank each = 0; each <= rank.ranks(); ++each) (void)rank.get(each, "key", got);
}

}  // namespace

AM_FUZZ_TARGET(run_joining) {
  input_reader in(input);
  int join_sockets[2];
  AM_PROMISE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, join_sockets) == 0);
  far_ends ends{base::fd(join_sockets[0]), {}};
  const base::fd join_socket(join_sockets[1]);
  const bool raw = in.byte() % 4 == 0;
  const unsigned descriptors = in.byte() % 8 == 0 ? in.byte() % 3 : 2;
  const std::string first = raw ? std::string(in.text(in.byte())) + '\0' : welcome(in);
  ::setenv("AM_JOB_FD", std::to_string(join_socket.get()).c_str(), 1);
  std::thread am_run([&] { answer_hello(ends, first, descriptors, has_whole_frame(first)); });
  std::string why;
  {
    const auto rank = boot::join_run(why);
    am_run.join();
    AM_PROMISE((rank != nullptr) == why.empty());
    if (rank != nullptr) {
      AM_PROMISE(rank->rank() < rank->ranks());
      boot::frame_reader parser(boot::most_fenced_bytes);
      for (unsigned fences = 0; fences < 4 && !in.empty(); ++fences)
        run_fence(*rank, ends, in, parser);
    }
  }
  ::unsetenv("AM_JOB_FD");
}
