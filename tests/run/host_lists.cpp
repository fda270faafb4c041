// The hosts of a command line, and the order that an agent gets.
#include <libam/tools/am-run/job/allocation.hpp>
#include <libam/tools/am-run/remote/host_frames.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace am::detail::run;
namespace boot = am::detail::boot;
namespace seam = am::detail::seam;

namespace {

// "a:0,1 b:2", or the problem.
std::string placed(std::string_view list, am_rank ranks = 0,
                   rank_mapping mapping = rank_mapping::by_slot) {
  std::vector<host_slots> hosts;
  std::vector<placed_host> all;
  std::string problem;
  if (!read_hosts(list, hosts, problem) || !place_ranks(hosts, mapping, ranks, all, problem))
    return problem;
  std::string text;
  for (const placed_host& each : all) {
    CHECK(each.ranks.job_size() == ranks);
    text += (text.empty() ? "" : " ") + (each.is_local ? "here" : each.name);
    char before = ':';
    for (const am_rank rank : each.ranks) text += std::exchange(before, ',') + std::to_string(rank);
  }
  return text;
}

start_order some_order() {
  return {{{"a", false, rank_set({2, 4, 6}, 9)}, {"b", false, rank_set({5}, 9)}},
          "a command",
          "/a prefix",
          "core",
          1,
          "/a folder",
          "/bin:/usr/bin",
          {"prog", "x", ""},
          {"AM_WAIT=spin"}};
}

// The sizes of the groups of so many hosts; "L": this one, which is the host number `local`.
std::string grouped(std::size_t hosts, std::size_t local = ~std::size_t{0}) {
  std::vector<placed_host> all;
  for (std::size_t i = 0; i < hosts; ++i)
    all.push_back(
        {"h", i == local, rank_set({static_cast<am_rank>(i)}, static_cast<am_rank>(hosts))});
  std::string text;
  const placed_host* next = all.data();
  for (const host_group& each : groups_of(all)) {
    CHECK(each.data() == next);
    next += each.size();
    text += (text.empty() ? "" : " ") + (each.front().is_local ? "L" : std::to_string(each.size()));
  }
  CHECK(next == all.data() + all.size());
  return text;
}

}  // namespace

TEST_CASE("ranks fill the slots of the hosts in their order") {
  CHECK(placed("a:2,b,c:3") == "a:0,1 b:2 c:3,4,5");
  CHECK(placed("a:2,b,c:3", 4) == "a:0,1 b:2 c:3");
  CHECK(placed("a:2,b", 1) == "a:0");
  CHECK(placed("a:4096,b") == "4097 ranks: at most 4096 are possible");
}

TEST_CASE("or each host that has a slot left gets a rank in turn") {
  CHECK(placed("a:2,b,c:3", 0, rank_mapping::by_node) == "a:0,3 b:1 c:2,4,5");
  CHECK(placed("a:2,b,c:3", 2, rank_mapping::by_node) == "a:0 b:1");
}

TEST_CASE("more ranks than slots are distributed as the slots are") {
  CHECK(placed("a,b:2", 4) == "a:0,1 b:2,3");
  CHECK(placed("a,b:2", 6) == "a:0,1 b:2,3,4,5");
  CHECK(placed("a,b:2", 7) == "a:0,1,2 b:3,4,5,6");
  CHECK(placed("a,b:2", 4, rank_mapping::by_node) == "a:0,2 b:1,3");
}

TEST_CASE("a host that is named again gets more slots") {
  CHECK(placed("a,b,a") == "a:0,1 b:2");
  CHECK(placed("localhost,b," + own_host_name()) == "here:0,1 b:2");
}

TEST_CASE("names may have users, ports none, and addresses of IPv6 are in brackets") {
  CHECK(placed("me@a:2,198.18.0.2") == "me@a:0,1 198.18.0.2:2");
  CHECK(placed("[fd00::2]:2,[::1]") == "fd00::2:0,1 ::1:2");
  for (const char* bad : {"", ",", "a,", "-a", "a:", "a:0", "a:-1", "a:4097", "a:1:2", "a b", "a;b",
                          "$(x)", "[::1", "[]", "[::1]2", "a\n"}) {
    CAPTURE(bad);
    CHECK(placed(bad).find("is no host") != std::string::npos);
  }
}

TEST_CASE("the tasks of an allocation's hosts are counted") {
  CHECK(read_tasks_per_node("2(x3),1") == std::vector<am_rank>{2, 2, 2, 1});
  CHECK(read_tasks_per_node("16") == std::vector<am_rank>{16});
  for (const char* bad :
       {"", "0", "2(x0)", "2(x", "2(x3", "2(x3)x", "x", "2,", "-1", "2(x99999)"}) {
    CAPTURE(bad);
    CHECK(read_tasks_per_node(bad).empty());
  }
}

TEST_CASE("hosts are in at most 16 groups of consecutive ones, or one more beside this host") {
  CHECK(grouped(0).empty());
  CHECK(grouped(1) == "1");
  CHECK(grouped(3, 1) == "1 L 1");
  CHECK(grouped(16) == "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1");
  CHECK(grouped(20) == "2 2 2 2 2 2 2 2 2 2");
  CHECK(grouped(18, 3) == "2 1 L 2 2 2 2 2 2 2");
  CHECK(grouped(257, 0) == "L 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16");
  CHECK(grouped(1000) == "63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 55");
}

TEST_CASE("an order is read as it was written, and no part of one is an order") {
  const std::string frame = make_start(some_order());
  boot::frame_reader reader(1U << 20);
  reader.feed(seam::as_bytes(frame));
  const auto received = reader.next();
  REQUIRE(received);
  start_order read;
  REQUIRE(read_start(received->body, read));
  REQUIRE(read.hosts.size() == 2);
  CHECK(read.hosts[0].name == "a");
  CHECK(read.hosts[0].ranks.members() == std::vector<am_rank>{2, 4, 6});
  CHECK(read.hosts[0].ranks.job_size() == 9);
  CHECK(read.hosts_below().front().name == "b");
  CHECK(read.rsh == "a command");
  CHECK(read.prefix == "/a prefix");
  CHECK(read.command == some_order().command);
  CHECK(read.environment == some_order().environment);
  CHECK(read.folder == "/a folder");
  for (std::size_t count = 0; count < received->body.size(); ++count) {
    start_order part;
    CHECK(!read_start(received->body.first(count), part));
  }
}

TEST_CASE("an order for ranks that the job does not have is refused") {
  for (const rank_set& ranks : {rank_set({}, 4), rank_set({3, 4}, 4), rank_set({3, 2}, 4),
                                rank_set({2, 2}, 4), rank_set({0}, boot::most_ranks + 1)}) {
    start_order order = some_order();
    order.hosts = {{"a", false, ranks}};
    const std::string frame = make_start(order);
    CHECK(!read_start(seam::as_bytes(frame).subspan(8), order));
  }
  start_order order = some_order();
  CHECK(read_start(seam::as_bytes(make_start(order)).subspan(8), order));
  for (const rank_set& second : {rank_set({4}, 9), rank_set({5}, 8), rank_set({}, 9)}) {
    order.hosts[1].ranks = second;
    const std::string frame = make_start(order);
    start_order read;
    CHECK(!read_start(seam::as_bytes(frame).subspan(8), read));
  }
  order = some_order();
  order.hosts.clear();
  CHECK(!read_start(seam::as_bytes(make_start(order)).subspan(8), order));
}
