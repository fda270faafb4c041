// The tables of am-info --transports: the reports between ranks, and how pairs are folded into
// rows.
#include <libam/tools/am-info/folding.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace am::detail::info;

namespace {

constexpr am_rank absent_rank = 1000;

const contact by_shm{"shm", "", {{"self", "self reaches this rank alone"}}};
const contact by_self{"self", "", {}};

std::vector<rank_report> job_of(am_rank count) {
  std::vector<rank_report> job(count);
  for (am_rank rank = 0; rank < count; ++rank) {
    job[rank].transports = {{"self", ""}, {"shm", ""}, {"tcp", "there is no tcp.so"}};
    job[rank].contacts.assign(count, by_shm);
    job[rank].contacts[rank] = by_self;
  }
  return job;
}

contact over_tcp(am_rank to) {
  return {"tcp", "encrypted", {{"shm", "rank " + std::to_string(to) + " does not use it"}}};
}

// "0-1>2-3 shm; …"
std::string folded(const std::vector<rank_report>& job) {
  std::string text;
  for (const pair_row& row : fold_pairs(job))
    text += (text.empty() ? "" : "; ") + ranks_text(row.from) + ">" + ranks_text(row.to) + " " +
            row.how.transport;
  return text;
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

}  // namespace

TEST_CASE("consecutive ranks are a range") {
  CHECK(ranks_text({}).empty());
  CHECK(ranks_text({3}) == "3");
  CHECK(ranks_text({0, 1, 2, 3}) == "0-3");
  CHECK(ranks_text({0, 2, 3, 7, 9, 10, 11}) == "0,2-3,7,9-11");
}

TEST_CASE("a job whose pairs are all alike is two rows") {
  CHECK(folded(job_of(1)) == "0> self");
  CHECK(folded(job_of(2)) == "0-1>0-1 shm; 0-1> self");
  CHECK(folded(job_of(64)) == "0-63>0-63 shm; 0-63> self");
}

TEST_CASE(
    "a rank that is reached by another transport, or reaches others by one, has rows of its own") {
  std::vector<rank_report> job = job_of(5);
  for (am_rank other : {0, 1, 3, 4}) {
    job[other].contacts[2] = over_tcp(2);
    job[2].contacts[other] = over_tcp(other);
  }
  CHECK(folded(job) == "0-1,3-4>0-1,3-4 shm; 0-1,3-4>2 tcp; 2>0-1,3-4 tcp; 0-4> self");
  for (const pair_row& row : fold_pairs(job)) {
    if (row.how.transport != "tcp") continue;
    CHECK(row.how.tried[0].outcome == "that rank does not use it");
    CHECK(row.how.about == "encrypted");
  }
}

TEST_CASE("two hosts are four rows: inside each, and both directions between them") {
  std::vector<rank_report> job = job_of(8);
  for (am_rank from = 0; from < 8; ++from)
    for (am_rank to = 0; to < 8; ++to)
      if (from / 4 != to / 4) job[from].contacts[to] = over_tcp(to);
  CHECK(folded(job) == "0-3>0-3 shm; 0-3>4-7 tcp; 4-7>0-3 tcp; 4-7>4-7 shm; 0-7> self");
}

TEST_CASE("every pair is in exactly one row") {
  std::vector<rank_report> job = job_of(7);
  for (am_rank from = 0; from < 7; ++from)
    for (am_rank to = 0; to < 7; ++to)
      if (from != to && (from * 5 + to * 3) % 4 == 0)
        job[from].contacts[to] = over_tcp(absent_rank);
  std::vector<int> seen(49);
  for (const pair_row& row : fold_pairs(job))
    for (const am_rank from : row.from)
      for (const am_rank to : row.to.empty() ? rank_list{from} : row.to) {
        if (from == to && !row.to.empty()) continue;
        ++seen[from * 7 + to];
        CHECK(row.how == job[from].contacts[to]);
      }
  CHECK(seen == std::vector<int>(49, 1));
}

TEST_CASE("only the peer itself loses its name") {
  std::vector<rank_report> job = job_of(2);
  job[0].contacts[1] = {"", "", {{"tcp", "rank 1 met rank 12, and rank 1"}}};
  CHECK(fold_pairs(job)[0].how.tried[0].outcome == "that rank met rank 12, and that rank");
}

TEST_CASE("the transports of ranks are folded by transport, and by reason") {
  std::vector<rank_report> job = job_of(4);
  job[2].transports[1].outcome = "AM_TRANSPORT=^shm leaves it out";
  std::string text;
  for (const transport_row& row : fold_transports(job))
    text += row.transport.name + " " + ranks_text(row.of) +
            (row.transport.outcome.empty() ? "; " : " no; ");
  CHECK(text == "self 0-3; shm 0-1,3; shm 2 no; tcp 0-3 no; ");
}

TEST_CASE("a report is decoded as it was encoded, and no part of one is accepted as a report") {
  std::vector<rank_report> job = job_of(4);
  job[0].contacts[3] = over_tcp(3);
  job[0].contacts[2] = {"", "", {{"shm", ""}, {"tcp", "rank 2 is lost"}}};
  const std::string expected = encode(job[0]);
  const auto decoded = decode(bytes_of(expected));
  REQUIRE(decoded.has_value());
  CHECK(decoded->transports == job[0].transports);
  CHECK(decoded->contacts == job[0].contacts);
  for (std::size_t cut = 0; cut < expected.size(); ++cut) {
    CAPTURE(cut);
    CHECK_FALSE(decode(bytes_of(expected).first(cut)).has_value());
  }
  CHECK_FALSE(decode(bytes_of(expected + "x")).has_value());
  std::string wrong = expected;
  wrong[wrong.size() - 4] = 9;  // an invalid kind of contact
  CHECK_FALSE(decode(bytes_of(wrong)).has_value());
}
