// Files whose bytes were changed are read without harm, whatever they claim.
#include "made.hpp"

#include <libam/tools/am-trace/merge.hpp>
#include <libam/tools/am-trace/show.hpp>
#include <libam/tools/am-trace/states.hpp>

#include <random>
#include <stdexcept>

namespace trace_damaged {
namespace {

using namespace trace_test;
using namespace am::detail::traces;
using am::detail::trace::record;

void make(const folder& in) {
  for (am_rank rank = 0; rank < 2; ++rank) {
    writer to;
    begin(to, in, rank, 2);
    to.name_handler(0, "a handler");
    for (std::uint32_t i = 0; i < 20; ++i) {
      to.add({kind::request, to.now(), 1 - rank, 0, 8, i});
      to.add({kind::on_request, to.now(), 1 - rank, 0, 8, i});
      to.add({kind::wait, to.now(), 0, to.number_of(am::detail::trace::name_of::call, "wait")});
    }
    end(to);
  }
}

// True: it was read. Refusing it is as good.
bool read_all(const folder& in) {
  try {
    job_trace all(in.path());
    (void)summary_of(all, 5);
    (void)states_text(states_of(all));
    const whole_messages whole(all);
    text_file to("/dev/null");
    pairing messages;
    write_json(all, messages, to);
    write_csv(all, messages, to);
    write_goal(all, whole, to);
    to.close();
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

}  // namespace

TEST_CASE("a few bytes that have changed do no harm") {
  const folder in;
  make(in);
  const std::string whole = text_of_file(in.of_rank(0));
  std::mt19937_64 random(1);  // NOLINT(cert-msc51-cpp): the same each time
  int read = 0;
  for (int round = 0; round < 400; ++round) {
    std::string damaged = whole;
    for (int i = 0; i < 4; ++i) {
      // Records more often than the header, of which most bytes are not used.
      constexpr std::size_t behind = am::detail::trace::header_bytes + 64 * sizeof(record);
      const std::size_t first = i == 0 ? 0 : am::detail::trace::header_bytes;
      damaged[first + random() % (behind - first)] = static_cast<char>(random());
    }
    write_file(in.of_rank(0), damaged);
    if (read_all(in)) ++read;
  }
  CHECK(read > 300);
}

TEST_CASE("each word of a header may be anything") {
  const folder in;
  make(in);
  const std::string whole = text_of_file(in.of_rank(0));
  for (std::size_t at = 0; at < sizeof(am::detail::trace::header); at += 4) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string damaged = whole;
      damaged.replace(at, 4, 4, value);
      write_file(in.of_rank(0), damaged);
      (void)read_all(in);
    }
  }
}

}  // namespace trace_damaged
