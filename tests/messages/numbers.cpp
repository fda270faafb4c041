// Mailboxes of parts of a job, at ranks that have different others; and what the thread does for
// several of them.
#include "job.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace messages_test {
namespace {

using one_word = std::array<std::uint32_t, 1>;

// Swaps a word with the neighbours. False: none has come for a while.
bool talk(mailbox& m, std::uint32_t word) {
  one_word in{};
  request receive = m.irecv(before(m), 1, in);
  m.send(behind(m), 1, one_word{word});
  return ends_soon(receive) && receive.result().ok() && in[0] == word;
}

CASE("ranks that have different mailboxes agree on a number for a common one") {
  am::team all(job.ep());
  am::team part = all.split(all.rank() == 0 ? 0 : 1, 0);
  for (int i = 0; i < 3; ++i) {
    std::vector<std::unique_ptr<mailbox>> others;
    // One more at rank 0 each time; of it alone, so without messages.
    if (all.rank() == 0)
      for (int j = 0; j < i + 1; ++j) others.push_back(std::make_unique<mailbox>(part));
    auto common = std::make_unique<mailbox>(all);
    EXPECT(talk(*common, 7));
    fence(job, *common);
    others.clear();
    EXPECT(talk(*common, 8));
    fence(job, *common);
  }
}

// Sends a word as if it were of the mailbox that had this number before.
void send_late(am_test::session& job, mailbox& m, std::int32_t tag) {
  namespace own = am::detail::messages;
  m.run([&] {
    am_ep* const ep = job.ep().raw();
    const auto& all = own::registry_of(ep).mailboxes;
    const own::mailbox_state& at =
        **std::ranges::find_if(all, [](const auto* one) { return one != nullptr; });
    own::small_message late{{tag, at.context, sizeof(am::word), 0, 0}, {}};
    late.of.generation = (at.generation + 127U) % 128;
    am::detail::check(am::detail::send<own::arrive_small, false>(ep, behind(m), late));
  });
}

CASE("a mailbox takes no message of an earlier one") {
  { mailbox earlier(job.ep()); }
  mailbox m(job.ep());
  send_late(job, m, 7);
  m.send(behind(m), 7, one_word{12});
  one_word in{};
  EXPECT(m.recv(before(m), 7, in).ok());
  EXPECT_EQ(in[0], 12U);
  EXPECT(!m.iprobe(before(m), 7).has_value());
}

CASE("a probe in a mailbox of a team has its numbers") {
  am::team all(job.ep());
  am::team part = all.split(static_cast<int>(all.rank() % 2), -static_cast<int>(all.rank()));
  mailbox m(part);
  m.send(behind(m), 1, one_word{1});
  EXPECT_EQ(m.probe(any_source, 1).source, before(m));
  const std::optional<status> again = m.iprobe(any_source, 1);
  EXPECT(again.has_value() && again->source == before(m));
  one_word in{};
  EXPECT(m.recv(before(m), 1, in).ok());
}

// In messages-alone, where mailboxes take little time.
CASE("a rank has 1024 mailboxes, and their numbers again when they have ended") {
  if (job.ranks() > 1) return;
  am::team all(job.ep());
  std::vector<std::unique_ptr<mailbox>> many;
  for (int i = 0; i < 1024; ++i) many.push_back(std::make_unique<mailbox>(all));
  EXPECT(am_test::thrown_by([&] { mailbox one_more(all); }) == AM_ARGUMENT_SIZE);
  many[500].reset();
  for (int i = 0; i < 3; ++i) {
    mailbox again(all);
    EXPECT(talk(again, 9));
  }
  EXPECT(talk(*many[1023], 10));
}

CASE("the progress thread goes on for a mailbox that is left") {
  mailbox left(job.ep());
  { mailbox gone(job.ep()); }
  const std::thread::id owner = left.run([] { return std::this_thread::get_id(); });
  EXPECT_EQ(owner != std::this_thread::get_id(), has_thread(job));
  EXPECT(talk(left, 11));
}

CASE("a probe of one thread sees the message that another one sends") {
  mailbox m(job.ep());
  if (!has_thread(job)) {
    m.send(m.rank(), 5, one_word{6});
    EXPECT_EQ(m.probe(any_source, 5).bytes, sizeof(one_word));
  } else {
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      m.send(m.rank(), 5, one_word{6});
    });
    EXPECT_EQ(m.probe(any_source, 5).bytes, sizeof(one_word));
    other.join();
  }
  one_word in{};
  EXPECT(m.recv(m.rank(), 5, in).ok());
}

}  // namespace
}  // namespace messages_test
