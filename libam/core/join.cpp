// Joining: make the transports, put their addresses and the handlers' digest on the job's
// blackboard, meet everyone, number the handlers alike.
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/boot/boots.hpp>
#include <libam/core/convert.hpp>
#include <libam/core/handlers.hpp>
#include <libam/core/roll.hpp>
#include <libam/core/ways.hpp>
#include <libam/seam/load_module.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

namespace am::detail::core {

namespace {

std::span<const std::byte> as_blob(const std::uint64_t& value) {
  return std::as_bytes(std::span(&value, 1));
}

}  // namespace

am_status endpoint::join_as_started(endpoint** out) {
  base::settings settings;
  if (const am_status status = base::load_settings(settings); status != AM_OK) return status;
  std::string why;
  std::unique_ptr<seam::boot> job = boot::choose_boot(settings, why);
  if (job == nullptr) return base::fail(AM_PEER_UNREACHABLE, "cannot join the job: {}", why);
  return join(std::move(job), settings, out);
}

am_status endpoint::join(std::unique_ptr<seam::boot> job, const base::settings& settings,
                         endpoint** out) {
  base::set_log(settings.log, job->rank());
  register_own_handlers();
  if (const am_status status = check_names(settings.transport); status != AM_OK) return status;
  std::unique_ptr<endpoint> joined(new endpoint(std::move(job), settings));
  if (enroll(*joined)) forget_numbers();
  if (const am_status status = joined->enter(); status != AM_OK) return status;
  *out = joined.release();
  return AM_OK;
}

endpoint::endpoint(std::unique_ptr<seam::boot> job, const base::settings& settings)
    : ranks_(job->ranks()),
      rank_(job->rank()),
      idle_(settings.wait, job->ranks_here() > job->cpus()),
      port_of_(job->ranks(), &nowhere_),
      bulk_(job->ranks()),
      settings_(settings),
      job_(std::move(job)) {
  owner_ = this_thread();
  ports_ = port_of_.data();
  face_ = face_of(this);
  given_back_ = &endpoint::take_back;
  transferred_ = &endpoint::transferred;
  heard_of_end_ = &endpoint::heard_of_end;
  came_.resize(ranks_);
  came_from_ = came_.data();
  traffic_.resize(ranks_);
  stalls_.limit = settings_.stall_warn;
  stalls_.peers.resize(ranks_);
  port_views_.resize(ranks_);
}

endpoint::~endpoint() {
  hide(shown_);
  strike(*this);
}

am_status endpoint::enter() {
  if (const am_status status = stats_file_.open(settings_.stats); status != AM_OK) return status;
  make_transports();
  if (const am_status status = check_faults(); status != AM_OK) return status;
  if (const am_status status = prepare_to_sleep(); status != AM_OK) return status;
  if (const am_status status = agree_on_handlers(); status != AM_OK) return status;
  gate_ = owner_;
  show();
  return AM_OK;
}

void endpoint::show() noexcept {
  shown_.rank = rank_;
  shown_.ranks = ranks_;
  shown_.gate = &gate_;
  shown_.running = &running_;
  shown_.source = &source_;
  shown_.polls = &polls_;
  shown_.full_polls = &full_polls_;
  shown_.handlers = &table_;
  shown_.handler_count = &count_;
  shown_.ports = port_views_.data();
  shown_.came = came_.data();
  shown_.traffic = traffic_.data();
  expose(shown_);
}

void endpoint::make_transports() {
  max_medium_ = SIZE_MAX;
  const seam::host host{rank_, ranks_, settings_, *job_, *this};
  announce_faults(host);
  for (const known_transport& one : known_transports()) {
    way w{std::string(one.name), nullptr, {}};
    seam::make_transport* make = nullptr;
    if (!allowed(settings_.transport, one.name))
      w.why_not = base::format("AM_TRANSPORT={} leaves it out", settings_.transport);
    else if (one.make == nullptr && ranks_ == 1)
      w.why_not = "a rank that is alone has nobody to reach";
    else if (one.for_networks && !is_wanted_here(one.name))
      w.why_not = "all ranks are on this host; AM_TRANSPORT takes it if it names it";
    else
      make = one.make != nullptr ? one.make
                                 : seam::load_transport(one.name, settings_.module_path, w.why_not);
    if (make != nullptr) w.transport = with_faults(make(host, w.why_not), host);
    if (w.transport != nullptr) {
      max_medium_ = std::min(max_medium_, w.transport->max_medium());
      if (w.transport->can().has(seam::capability::receives_unasked))
        polled_.push_back(w.transport.get());
      (void)job_->put("transport." + w.name, w.transport->address());
    } else {
      base::log(base::log_level::info, "{} is not used: {}", w.name, w.why_not);
    }
    ways_.push_back(std::move(w));
  }
}

// To start it costs time and memory, which shared memory saves.
bool endpoint::is_wanted_here(std::string_view network) const {
  const auto reaches_all = [](const way& w) { return w.transport != nullptr && w.name != "self"; };
  return !job_->one_host() || std::ranges::none_of(ways_, reaches_all) ||
         names(settings_.transport, network);
}

// A fault that would befall nobody is a mistake, not a test that passes.
am_status endpoint::check_faults() const {
  if (!settings_.fault.of_network()) return AM_OK;
  for (const way& w : ways_) {
    if (w.transport == nullptr || w.name == "self" ||
        w.transport->can().has(seam::capability::network))
      continue;
    return base::fail(
        AM_ARGUMENT_SETTING,
        "AM_FAULT names faults of a network, and {} has none; AM_TRANSPORT=tcp leaves "
        "it out",
        w.name);
  }
  return AM_OK;
}

// Ranks that run the same file have equal digests and need no more. Otherwise all exchange their
// keys, and the job's handlers are the union.
am_status endpoint::agree_on_handlers() {
  std::vector<handler_key> ours;
  const am_status listed = list_handlers(ours);
  const std::uint64_t mine = digest(ours);
  std::vector<std::vector<std::byte>> digests;
  am_status status =
      exchange("handlers.digest", as_blob(mine), listed, digests, false, AM_ARGUMENT_HANDLER);
  if (status != AM_OK) return status;

  std::vector<std::string> keys = decode_keys(encode_keys(ours));
  const auto is_mine = [&](const auto& theirs) {
    return std::ranges::equal(theirs, as_blob(mine));
  };
  if (!std::ranges::all_of(digests, is_mine)) {
    std::vector<std::vector<std::byte>> lists;
    status = exchange("handlers.keys", encode_keys(ours), AM_OK, lists, false, AM_ARGUMENT_HANDLER);
    if (status != AM_OK) return status;
    for (const std::vector<std::byte>& theirs : lists)
      for (std::string& key : decode_keys(theirs)) keys.push_back(std::move(key));
    std::sort(keys.begin(), keys.end());
  }
  std::vector<entry> table;
  status = number_handlers(ours, keys, &endpoint::give_back_missing, table);
  if (status != AM_OK) return status;
  // Numbers stay, and so do counts.
  for (std::size_t id = 0; id + 1 < handlers_.size(); ++id) table[id].runs = handlers_[id].runs;
  handlers_ = std::move(table);
  table_ = handlers_.data();
  count_ = static_cast<std::uint32_t>(handlers_.size() - 1);
  return AM_OK;
}

// Gets every rank's blob, none from the dead. A rank that cannot give its own (`so_far`) meets the
// others all the same and says so, or their fences and its own would be out of step for ever.
am_status endpoint::exchange(std::string_view key, std::span<const std::byte> mine,
                             am_status so_far, std::vector<std::vector<std::byte>>& out, bool serve,
                             am_status if_another_fails) {
  constexpr std::byte good{1};
  std::vector<std::byte> blob{good};
  blob.insert(blob.end(), mine.begin(), mine.end());
  if (so_far == AM_OK) so_far = job_->put(key, blob);
  if (so_far != AM_OK) (void)job_->put(key, {});
  am_status status = fence_and_wait(serve);
  if (so_far != AM_OK) return so_far;
  out.resize(ranks_);
  for (am_rank rank = 0; rank < ranks_ && status == AM_OK; ++rank) {
    status = job_->get(rank, key, out[rank]);
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

am_status endpoint::update_handlers() {
  if (!in_order()) return refuse("update_handlers");
  // Once all are here nobody waits for an answer, so nobody has to be served while numbers change;
  // and a message with a new number is not looked at before this rank knows it too.
  const am_status status = fence_and_wait(true);
  return status == AM_OK ? agree_on_handlers() : status;
}

// Meets everyone, serving those who still ask if `serve`. It sleeps after a while however this rank
// waits otherwise, so that it does not keep the late ones from running.
am_status endpoint::fence_and_wait(bool serve) {
  using namespace std::chrono_literals;
  am_status status = job_->start_fence();
  if (status != AM_OK) return status;
  constexpr unsigned patience = 200;
  blocked here(shown_.doing);
  for (unsigned turns = 0;; ++turns) {
    status = job_->fence_done();
    if (status != AM_AGAIN_CONNECTING) return status;
    if (serve && deliver(burst) != 0) {
      turns = 0;
      idle_.something_came();
    }
    if (turns > patience) look_around(here, "a fence of all ranks", nullptr);
    if (turns <= patience)
      std::this_thread::yield();
    else if (serve && idle_.ever_sleeps())
      sleep(std::chrono::nanoseconds::max(), job_->fence_descriptor(), false);
    else
      sleeper_.sleep(serve ? 50us : 100ms, job_->fence_descriptor());
  }
}

}  // namespace am::detail::core
