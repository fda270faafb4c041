// A rank that sends a text to the next one by each kind of call: for tests of what others on the
// network can see. Rank 0 prints the job's secret, which no program sees by am.h; then the job runs
// until rank 0's input ends.
//   sender TEXT [secret]     TEXT: at most 24 bytes; with secret the texts contain that, too
#include <am/am.hpp>
#include <libam/core/endpoint_handle.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace seam = am::detail::seam;

struct words {
  std::array<char, 32> text;
};

constexpr std::size_t copies_in_medium = 64;
constexpr std::size_t copies_in_bulk = 4096;

unsigned arrived = 0;

void on_small(am::request_token, words) { ++arrived; }
void on_medium(am::request_token, std::span<const std::byte>) { ++arrived; }
void on_store(am::request_token, void*, std::size_t) { ++arrived; }
void on_got(am::reply_token, void*, std::size_t) { ++arrived; }
constexpr unsigned kinds = 4;

const seam::job_secret& secret_of(am::endpoint& ep) {
  const seam::job_secret* const secret =
      am::detail::core::endpoint_of(ep.raw()).membership().job->secret();
  if (secret == nullptr) throw std::runtime_error("the job has no secret");
  return *secret;
}

std::vector<words> copies_of(const std::string& text, std::size_t count) {
  words one{};
  std::copy_n(text.begin(), std::min(text.size(), one.text.size()), one.text.begin());
  return std::vector<words>(count, one);
}

void send_text(am::endpoint& ep, const std::string& text) {
  const am::rank_id to = (ep.rank() + 1) % ep.ranks();
  const std::size_t bulk_bytes = copies_in_bulk * sizeof(words);
  const am::segment all = ep.all_segments(2 * bulk_bytes);
  const auto readable = copies_of(text + ".get", copies_in_bulk);
  std::memcpy(all.address(), readable.data(), bulk_bytes);
  ep.job_fence();
  ep.request<on_small>(to, copies_of(text + ".small", 1).front());
  const auto payload = copies_of(text + ".medium", copies_in_medium);
  ep.request<on_medium>(to, std::as_bytes(std::span(payload)));
  const auto stored = copies_of(text + ".store", copies_in_bulk);
  auto* const there = static_cast<std::byte*>(all.address_at(to));
  ep.store<on_store>(to, there + bulk_bytes, std::as_bytes(std::span(stored)));
  std::vector<std::byte> got(bulk_bytes);
  ep.get<on_got>(to, there, std::span(got));
  ep.wait([] { return arrived == kinds; });
  ep.job_fence();
}

void print(const seam::job_secret& secret) {
  for (const std::byte each : secret) std::printf("%02x", std::to_integer<unsigned>(each));
  std::puts("");
  std::fflush(stdout);
}

void send_secret(am::endpoint& ep, const seam::job_secret& secret) {
  const am::rank_id to = (ep.rank() + 1) % ep.ranks();
  ep.request<on_medium>(to, std::span<const std::byte>(secret));
  ep.wait([] { return arrived == kinds + 1; });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  am::endpoint ep = am::join(argc, argv);
  send_text(ep, argv[1]);
  const seam::job_secret& secret = secret_of(ep);
  if (argc > 2 && std::string_view(argv[2]) == "secret") send_secret(ep, secret);
  ep.job_fence();
  if (ep.rank() == 0) {
    print(secret);
    while (std::getchar() != EOF) continue;
  }
  ep.job_fence();
  ep.close();
  return 0;
}
