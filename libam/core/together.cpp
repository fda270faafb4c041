// What all ranks of the job do together: they number their handlers alike, tell each other a word,
// and meet.
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/core/endpoint.hpp>
#include <libam/core/handlers.hpp>

#include <algorithm>
#include <cstring>
#include <string>

namespace am::detail::core {

using meanwhile = progress::meanwhile;

namespace {

// What must be equal before a message is sent. Ranks with other handlers can talk about them; those
// that think otherwise of how large a payload may be cannot read each other's memory or frames.
struct common {
  std::uint64_t handlers;  // their digest
  std::uint64_t max_medium;
};

common read_common(std::span<const std::byte> blob) {
  common read{};
  std::memcpy(&read, blob.data(), std::min(blob.size(), sizeof read));
  return read;
}

// None is at fault: each names the first that differs from itself, so every rank of a job that
// cannot be says so.
am_status check_max_medium(const common& mine, std::span<const std::vector<std::byte>> all) {
  for (am_rank rank = 0; rank < all.size(); ++rank) {
    if (all[rank].empty()) continue;  // it has died
    const std::uint64_t theirs = read_common(all[rank]).max_medium;
    if (theirs != mine.max_medium)
      return base::fail(AM_ARGUMENT_SETTING,
                        "rank {} has AM_MAX_MEDIUM={} and this one {}: set it alike for all ranks",
                        rank, theirs, mine.max_medium);
  }
  return AM_OK;
}

}  // namespace

// Ranks that run the same file have equal digests and need no more. Otherwise all exchange their
// keys, and the job's handlers are the union.
am_status endpoint::agree_on_handlers() {
  std::vector<handler_key> ours;
  const am_status listed = list_handlers(ours);
  const common mine{digest(ours), in_.settings->max_medium};
  std::vector<std::vector<std::byte>> all;
  am_status status = exchange("handlers.digest", std::as_bytes(std::span(&mine, 1)), listed, all,
                              meanwhile::nothing, AM_ARGUMENT_HANDLER);
  if (status == AM_OK) status = check_max_medium(mine, all);
  if (status != AM_OK) return status;

  std::vector<std::string> keys = decode_keys(encode_keys(ours));
  const auto is_mine = [&](const auto& theirs) {
    return read_common(theirs).handlers == mine.handlers;
  };
  if (!std::ranges::all_of(all, is_mine)) {
    std::vector<std::vector<std::byte>> lists;
    status = exchange("handlers.keys", encode_keys(ours), AM_OK, lists, meanwhile::nothing,
                      AM_ARGUMENT_HANDLER);
    if (status != AM_OK) return status;
    for (const std::vector<std::byte>& theirs : lists)
      for (std::string& key : decode_keys(theirs)) keys.push_back(std::move(key));
    std::sort(keys.begin(), keys.end());
  }
  std::vector<dispatcher::entry> table;
  status = number_handlers(ours, keys, &dispatcher::give_back_missing, table);
  if (status == AM_OK) dispatcher_.install(std::move(table));
  return status;
}

// Gets every rank's blob, none from the dead. A rank that cannot give its own (`so_far`) meets the
// others all the same and says so, or their fences and its own would be out of step for ever.
am_status endpoint::exchange(std::string_view key, std::span<const std::byte> mine,
                             am_status so_far, std::vector<std::vector<std::byte>>& out,
                             meanwhile runs, am_status if_another_fails) {
  constexpr std::byte good{1};
  seam::boot& job = *in_.job;
  std::vector<std::byte> blob{good};
  blob.insert(blob.end(), mine.begin(), mine.end());
  if (so_far == AM_OK) so_far = job.put(key, blob);
  if (so_far != AM_OK) (void)job.put(key, {});
  am_status status = progress_.fence(runs);
  if (so_far != AM_OK) return so_far;
  out.resize(peers_.ranks());
  for (am_rank rank = 0; rank < peers_.ranks() && status == AM_OK; ++rank) {
    status = job.get(rank, key, out[rank]);
    if (status == AM_ARGUMENT_SETTING) {  // it has died before the fence: all hear the same of it
      status = AM_OK;
      continue;
    }
    if (status != AM_OK) break;
    if (out[rank].empty())
      return base::fail(if_another_fails, "rank {} could not do its part ({}): it says why", rank,
                        key);
    out[rank].erase(out[rank].begin());
  }
  return status;
}

// What is posted may wait for others, so it runs in a fence of its own. Once all are in the second
// one nobody waits for an answer, so nobody has to be served while numbers change; and a message
// with a new number is not looked at before this rank knows it too.
am_status endpoint::update_handlers() {
  am_status status = progress_.may_fence("update_handlers");
  if (status == AM_OK) status = progress_.fence(meanwhile::handlers_and_posts);
  if (status == AM_OK) status = progress_.fence(meanwhile::handlers);
  return status == AM_OK ? agree_on_handlers() : status;
}

am_status endpoint::fence_job() {
  const am_status status = progress_.may_fence("job_fence");
  return status == AM_OK ? progress_.fence(meanwhile::handlers_and_posts) : status;
}

am_status endpoint::tell_all(am_word mine, am_status so_far, std::vector<am_word>& all) {
  const std::string key = base::format("told.{}", in_.tellings++);
  std::vector<std::vector<std::byte>> blobs;
  const am_status status = exchange(key, std::as_bytes(std::span(&mine, 1)), so_far, blobs,
                                    meanwhile::handlers_and_posts, AM_RESOURCE_SPACE);
  if (status != AM_OK) return status;
  all.assign(peers_.ranks(), 0);
  for (am_rank rank = 0; rank < peers_.ranks(); ++rank)
    std::copy_n(blobs[rank].data(), std::min(blobs[rank].size(), sizeof(am_word)),
                reinterpret_cast<std::byte*>(&all[rank]));
  return AM_OK;
}

}  // namespace am::detail::core
