// Bells: who rings whom, and that ringing never waits.
#include <libam/base/bell.hpp>

#include <doctest/doctest.h>
#include <poll.h>

#include <vector>

using am::detail::base::bell;
using am::detail::base::fd;

namespace {

bell fresh() {
  fd socket;
  REQUIRE(bell::create(socket) == AM_OK);
  return bell(std::move(socket));
}

bool rings(const bell& one) {
  pollfd readable{one.descriptor(), POLLIN, 0};
  return ::poll(&readable, 1, 0) == 1;
}

}  // namespace

TEST_CASE("a bell rings the one that is named, until it is silenced") {
  const bell mine = fresh();
  const bell first = fresh();
  const bell second = fresh();
  CHECK(first.own_name() != bell::nobody);
  CHECK(first.own_name() != second.own_name());
  mine.ring(second.own_name());
  CHECK(!rings(first));
  CHECK(rings(second));
  CHECK(rings(second));
  second.silence();
  CHECK(!rings(second));
  mine.ring(mine.own_name());
  CHECK(rings(mine));
}

TEST_CASE("ringing does not wait for whoever does not listen") {
  const bell mine = fresh();
  const bell deaf = fresh();
  for (unsigned i = 0; i < 10000; ++i) mine.ring(deaf.own_name());
  CHECK(rings(deaf));
}

TEST_CASE("however many do not listen, each is rung") {
  const bell mine = fresh();
  std::vector<bell> deaf;
  for (unsigned i = 0; i < 400; ++i) deaf.push_back(fresh());
  for (const bell& each : deaf) mine.ring(each.own_name());
  for (const bell& each : deaf) CHECK(rings(each));
}

TEST_CASE("ringing a bell that is gone, or none, does nothing") {
  const bell mine = fresh();
  bell::name gone = fresh().own_name();
  mine.ring(gone);
  mine.ring(bell::nobody);
  const bell none;
  CHECK(!none.valid());
  CHECK(none.own_name() == bell::nobody);
  none.ring(mine.own_name());
  CHECK(!rings(mine));
}
