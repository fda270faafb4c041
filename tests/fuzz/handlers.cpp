// The values that other ranks put at a join: digests and keys of their handlers, addresses of their
// transports.
#include "../support/simulated_boot.hpp"
#include "neighbour_job.hpp"
#include "target.hpp"

#include <libam/base/build.hpp>
#include <libam/base/error.hpp>
#include <libam/core/handlers.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace core = am::detail::core;
using am_test::fuzz::input_reader;

namespace {

std::vector<std::byte> blob_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

constexpr am_rank joined_ranks = 3;

// Behind a byte that marks it this build and a zero, a digest, and then this rank's AM_MAX_MEDIUM:
// a rank with other ones is refused, and nothing else is checked.
void make_alike(std::vector<std::byte>& blob) {
  const std::string build(am::detail::base::build_version());
  const std::uint64_t mine = am::detail::base::settings().max_medium;
  const auto text = std::as_bytes(std::span(build.c_str(), build.size() + 1));
  const auto bytes = std::as_bytes(std::span(&mine, 1));
  blob.resize(1 + sizeof mine);
  blob.insert(blob.begin() + 1, text.begin(), text.end());
  blob.insert(blob.end(), bytes.begin(), bytes.end());
}

}  // namespace

// Afterwards the rank is in the job and has a number for each of its handlers, or an error text
// says why it is not.
AM_FUZZ_TARGET(join_blobs) {
  input_reader in(input);
  auto store = std::make_unique<am_test::simulated_boot>(0, joined_ranks);
  for (am_rank other = 1; other < joined_ranks; ++other) {
    for (const char* key :
         {"handlers.digest", "handlers.keys", "transport.self", "transport.shm"}) {
      const std::size_t bytes = in.byte();
      if (bytes >= 250) continue;
      std::vector<std::byte> blob = blob_of(in.text(bytes));
      if (key == std::string_view("handlers.digest") && bytes % 2 == 0) make_alike(blob);
      store->others_put(other, key, blob);
    }
  }
  am::detail::base::settings settings;
  settings.transport = "self";
  core::endpoint* made = nullptr;
  const am_status status = core::endpoint::join(std::move(store), settings, &made);
  const std::unique_ptr<core::endpoint> joined(made);
  if (status != AM_OK) {
    AM_PROMISE(joined == nullptr);
    AM_PROMISE(std::string_view(am::detail::base::error_text()).size() > 0);
    return;
  }
  std::vector<core::handler_key> ours;
  AM_PROMISE(core::list_handlers(ours) == AM_OK);
  for (const core::handler_key& each : ours) {
    std::uint64_t runs = 1;
    AM_PROMISE(each.handler->id <= core::most_handlers);
    AM_PROMISE(joined->statistics().read_handler(each.handler, runs) == AM_OK && runs == 0);
  }
  // No transport reaches the others, whatever their addresses are.
  AM_PROMISE(joined->requests().try_request(1, ours.front().handler, 0, 0, 0, 0) ==
             AM_PEER_UNREACHABLE);
  std::vector<am_word> all;
  if (joined->all_gather(7, AM_OK, all) == AM_OK) AM_PROMISE(all.size() == joined_ranks);
}
