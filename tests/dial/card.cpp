// The arithmetic of the cards, in times of the test's own.
#include <transports/dial/card.hpp>

#include <doctest/doctest.h>

using namespace am::detail::dial;

namespace {
constexpr fragment_sizes by_4096{4096, 256};
}

TEST_CASE("a card without a gap lets every message go at once") {
  sender_card card(0, 0, by_4096);
  CHECK(card.send(100, 0) == 100);
  CHECK(card.send(100, 65536) == 100);
}

TEST_CASE("messages leave a gap apart, and a pause uses up no gap") {
  sender_card card(50, 0, by_4096);
  CHECK(card.send(100, 0) == 100);
  CHECK(card.send(110, 0) == 150);
  CHECK(card.send(120, 0) == 200);
  CHECK(card.send(1000, 0) == 1000);
  CHECK(card.send(1049, 0) == 1050);
}

TEST_CASE("the time of the bytes delays what comes behind them, from the threshold on") {
  sender_card card(0, 0.5, by_4096);
  CHECK(card.send(0, 256) == 0);
  CHECK(card.send(0, 257) == 0);
  CHECK(card.send(0, 4096) == 128);
  CHECK(card.send(0, 0) == 128 + 2048);
}

TEST_CASE("a long message leaves with its last fragment, and each fragment has a gap") {
  CHECK(by_4096.count(0) == 1);
  CHECK(by_4096.count(4096) == 1);
  CHECK(by_4096.count(4097) == 2);
  CHECK(by_4096.count(65536) == 16);
  sender_card card(10, 1, by_4096);
  CHECK(card.send(0, 3 * 4096 + 100) == 3 * (10 + 4096));
  CHECK(card.send(0, 0) == 3 * (10 + 4096) + 10);
}

// Seed 001 needs both gaps: a receiver that many send to is limited by its own.
TEST_CASE("a receiver takes messages a gap apart, also of several senders") {
  receiver_card card(50);
  CHECK(card.due(100, 1) == 100);
  card.receive(100);
  CHECK(card.due(100, 1) == 150);
  CHECK(card.due(100, 3) == 250);
  card.receive(card.due(100, 1));
  CHECK(card.due(500, 1) == 500);
}
