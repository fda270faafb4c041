// What all ranks of the job do together: number their handlers alike, gather a word of each, and
// wait in a fence.
#include <libam/base/build.hpp>
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/core/endpoint.hpp>
#include <libam/core/handlers.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <type_traits>

namespace am::detail::core {

using fence_work = progress::fence_work;

namespace {

// What each rank tells all others before a message is sent. Ranks with different handlers exchange
// their keys; ranks with a different max_medium cannot read each other's memory or frames, and what
// a rank without AM_DIAL sends has no stamps. All choose by the answers of rank 0.
struct common {
  std::uint64_t handlers;  // their digest
  std::uint64_t max_medium;
  std::uint64_t host;  // seam::boot::host_id
  std::uint64_t dialled;
  std::uint64_t traced;
  std::uint64_t dilation;  // AM_DILATE, the bits of its number
  profile::answers answers;
};
static_assert(std::has_unique_object_representations_v<common>);  // all of it is sent

// The build and a zero stand in front of it: in another build it may have another layout, as may
// what ranks share.
std::vector<std::byte> written(const common& mine) {
  const std::string_view build = base::build_version();
  std::vector<std::byte> out(build.size() + 1 + sizeof mine);
  std::memcpy(out.data(), build.data(), build.size());
  std::memcpy(out.data() + build.size() + 1, &mine, sizeof mine);
  return out;
}

// Nothing: the rank is of another build. `why_not` has the line about the first such rank.
std::optional<common> read_common(am_rank from, std::span<const std::byte> blob,
                                  std::string& why_not) {
  const auto bytes = static_cast<std::size_t>(std::ranges::find(blob, std::byte{}) - blob.begin());
  const std::string_view build(reinterpret_cast<const char*>(blob.data()), bytes);
  if (build != base::build_version()) {
    if (why_not.empty()) why_not = base::other_build_text(from, build);
    return std::nullopt;
  }
  blob = blob.subspan(std::min(blob.size(), bytes + 1));
  common read{};
  std::memcpy(&read, blob.data(), std::min(blob.size(), sizeof read));
  return read;
}

// No rank is at fault more than another: each names the first that differs from itself, so every
// rank of such a job reports it.
am_status check_max_medium(const common& mine, std::span<const std::optional<common>> all) {
  for (am_rank rank = 0; rank < all.size(); ++rank)
    if (all[rank] && all[rank]->max_medium != mine.max_medium)
      return base::fail(AM_ARGUMENT_SETTING,
                        "rank {} has AM_MAX_MEDIUM={} and this one {}: set it alike for all ranks",
                        rank, all[rank]->max_medium, mine.max_medium);
  return AM_OK;
}

am_status check_dials(const common& mine, std::span<const std::optional<common>> all) {
  const auto set = [](const common& of) { return of.dialled != 0 ? "set" : "not set"; };
  for (am_rank rank = 0; rank < all.size(); ++rank)
    if (all[rank] && all[rank]->dialled != mine.dialled)
      return base::fail(AM_ARGUMENT_SETTING,
                        "AM_DIAL is {} for rank {} and {} for this one: set it for all ranks, or "
                        "for none (0 adds nothing)",
                        set(*all[rank]), rank, set(mine));
  return AM_OK;
}

am_status check_dilation(const common& mine, std::span<const std::optional<common>> all) {
  const auto text = [](const common& of) {
    const auto factor = std::bit_cast<double>(of.dilation);
    return factor == 0 ? std::string("not set") : base::format("{}", factor);
  };
  for (am_rank rank = 0; rank < all.size(); ++rank)
    if (all[rank] && all[rank]->dilation != mine.dilation)
      return base::fail(
          AM_ARGUMENT_SETTING,
          "AM_DILATE is {} for rank {} and {} for this one: set it alike for all ranks",
          text(*all[rank]), rank, text(mine));
  return AM_OK;
}

// The lowest rank of the host of each. One that has died has a host of its own.
std::vector<am_rank> hosts_of(std::span<const std::optional<common>> all) {
  std::map<std::uint64_t, am_rank> first;
  std::vector<am_rank> out(all.size());
  for (am_rank rank = 0; rank < all.size(); ++rank)
    out[rank] = all[rank] ? first.try_emplace(all[rank]->host, rank).first->second : rank;
  return out;
}

std::vector<bool> traced_of(std::span<const std::optional<common>> all) {
  std::vector<bool> out;
  for (const std::optional<common>& one : all) out.push_back(one && one->traced != 0);
  return out;
}

// The first byte of a rank's blob: its part follows, or why it has none.
constexpr std::byte good{1}, bad{0};

std::vector<std::byte> begun_with(std::byte first, std::span<const std::byte> rest) {
  std::vector<std::byte> out(1 + rest.size(), first);
  std::ranges::copy(rest, out.begin() + 1);
  return out;
}

std::string_view reason_in(std::span<const std::byte> blob) {
  if (blob.size() < 2) return "its own line says why";
  return {reinterpret_cast<const char*>(blob.data()) + 1, blob.size() - 1};
}

}  // namespace

// Ranks that run the same file have equal digests. Otherwise all exchange their keys, and the job's
// handlers are the union.
am_status endpoint::agree_on_handlers() {
  std::vector<handler_key> ours;
  const am_status local_status = list_handlers(ours);
  const common mine{digest(ours),
                    membership_.settings->max_medium,
                    membership_.job->host_id(),
                    std::uint64_t{membership_.settings->dial.set},
                    std::uint64_t{transports_.trace() != nullptr},
                    std::bit_cast<std::uint64_t>(membership_.settings->dilate),
                    membership_.answers};
  std::vector<std::optional<common>> all(peers_.ranks());  // nothing: it has died
  std::string why_not;
  am_status status = exchange(
      "handlers.digest", written(mine), local_status,
      [&](am_rank from, std::span<const std::byte> blob) {
        all[from] = read_common(from, blob, why_not);
      },
      fence_work::nothing, AM_ARGUMENT_HANDLER);
  if (status == AM_OK && !why_not.empty()) status = fail_to_join(why_not);
  if (status == AM_OK) status = check_max_medium(mine, all);
  if (status == AM_OK) status = check_dials(mine, all);
  if (status == AM_OK) status = check_dilation(mine, all);
  if (status != AM_OK) return status;
  if (!peers_.knows_hosts()) {
    peers_.set_hosts(hosts_of(all));
    const std::vector<bool> traced = traced_of(all);
    attached.serves_clocks = are_on_several_hosts(traced, peers_);
    if (attached.serves_clocks && transports_.trace() != nullptr)
      transports_.set_clocks(std::make_unique<host_clocks>(requests_, peers_, progress_, traced,
                                                           *transports_.trace()));
  }
  if (all[0]) membership_.answers = all[0]->answers;

  std::vector<std::string> keys = decode_keys(encode_keys(ours));
  const auto has_mine = [&](const auto& theirs) {
    return theirs && theirs->handlers == mine.handlers;
  };
  if (!std::ranges::all_of(all, has_mine)) {
    status = exchange(
        "handlers.keys", encode_keys(ours), AM_OK,
        [&](am_rank, std::span<const std::byte> theirs) {
          for (std::string& key : decode_keys(theirs)) keys.push_back(std::move(key));
        },
        fence_work::nothing, AM_ARGUMENT_HANDLER);
    if (status != AM_OK) return status;
    std::sort(keys.begin(), keys.end());
  }
  std::vector<dispatcher::entry> table;
  status = number_handlers(ours, keys, &dispatcher::on_missing_handler, table);
  if (attached.serves_clocks)  // the join goes on with pings and fences: all ranks do, or none
    status = exchange(
        "handlers.numbers", {}, status, [](am_rank, std::span<const std::byte>) {},
        fence_work::nothing, AM_ARGUMENT_HANDLER);
  if (status != AM_OK) return status;
  if (hooked_ != nullptr) hooked_->hook(table);
  dispatcher_.install(std::move(table));
  return AM_OK;
}

// Visits the blob of every rank that has put one. A rank that cannot give its own (`local_status`)
// takes part in the fence and gives the others its reason; otherwise its fences and those of the
// others would be out of step for ever.
am_status endpoint::exchange(std::string_view key, std::span<const std::byte> mine,
                             am_status local_status, const blob_visitor& visit, fence_work runs,
                             am_status if_another_fails) {
  seam::boot& job = *membership_.job;
  std::vector<std::byte> blob = begun_with(good, mine);
  if (local_status == AM_OK) local_status = job.put(key, blob);
  const std::string why = local_status == AM_OK ? "" : base::error_text();
  if (local_status != AM_OK) (void)job.put(key, begun_with(bad, std::as_bytes(std::span(why))));
  am_status status = progress_.fence(runs);
  if (local_status != AM_OK) return base::fail_with(local_status, why);
  for (am_rank rank = 0; rank < peers_.ranks() && status == AM_OK; ++rank) {
    status = job.get(rank, key, blob);
    if (status == AM_ARGUMENT_SETTING) {  // it has died before the fence: all ranks read the same
      status = AM_OK;
      continue;
    }
    if (status != AM_OK) break;
    if (blob.empty() || blob.front() == bad)
      return base::fail(if_another_fails, "rank {} could not do its part ({}): {}", rank, key,
                        reason_in(blob));
    visit(rank, std::span<const std::byte>(blob).subspan(1));
  }
  return status;
}

// Posted functions may wait for others, so they run in a fence of their own. Once all ranks are in
// the second fence none waits for an answer, so none has to be served while numbers change; and a
// message with a new number is not read before this rank knows the number, too.
am_status endpoint::update_handlers() {
  am_status status = progress_.check_fence_allowed("update_handlers");
  if (status == AM_OK) status = progress_.fence(fence_work::handlers_and_posts);
  if (status == AM_OK) status = progress_.fence(fence_work::handlers);
  return status == AM_OK ? agree_on_handlers() : status;
}

am_status endpoint::fence_job() {
  const am_status status = progress_.check_fence_allowed("job_fence");
  return status == AM_OK ? progress_.fence(fence_work::handlers_and_posts) : status;
}

am_status endpoint::all_gather(am_word mine, am_status local_status, std::vector<am_word>& all) {
  const std::string key = base::format("all_segments.{}", attached.all_gathers++);
  all.assign(peers_.ranks(), 0);
  return exchange(
      key, std::as_bytes(std::span(&mine, 1)), local_status,
      [&](am_rank from, std::span<const std::byte> blob) {
        std::memcpy(&all[from], blob.data(), std::min(blob.size(), sizeof(am_word)));
      },
      fence_work::handlers_and_posts, AM_RESOURCE_SPACE);
}

}  // namespace am::detail::core
