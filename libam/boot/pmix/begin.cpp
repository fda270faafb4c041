// How a rank becomes one of its job.
#include <libam/base/build.hpp>
#include <libam/base/cpus.hpp>
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/base/random.hpp>
#include <libam/boot/pmix/pmix_boot.hpp>
#include <libam/boot/pmix/with_timeout.hpp>
#include <libam/seam/blobs.hpp>

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <thread>

namespace am::detail::pmix {

namespace {

// libam's own keys; those of programs begin differently.
constexpr std::string_view secret_key = "pmix.secret";  // of rank 0
constexpr std::string_view build_key = "pmix.build";    // of every rank
constexpr std::string_view cpus_key = "pmix.cpus";
constexpr std::string_view listener_key = "pmix.listener";  // of the first rank of a host

// The other ranks may take any time; this warns once that they are waited for.
class late_warning {
 public:
  explicit late_warning(const session& server) : server_(server) {}
  void warn_if_late() {
    if (warned_ || std::chrono::steady_clock::now() - start_ < answer_timeout) return;
    warned_ = true;
    base::log(base::log_level::warn,
              "join: for {} s on host {} not all of {} ranks have come: does one not call join?",
              answer_timeout.count(), server_.host(), server_.ranks());
  }

 private:
  const session& server_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  bool warned_ = false;
};

}  // namespace

bool pmix_boot::begin(std::string& why) {
  node_listener listener;
  if (!may_succeed(why)) return false;
  if (wait_for_processes() != AM_OK) {
    why = base::error_text();
    return false;
  }
  if (!publish_own_keys(listener, why) || !wait_for_fence(why) || !check_builds(why) ||
      !read_peer_keys(why) || !set_up_node_group(listener, why))
    return false;
  stage_ = stage::joined;
  return true;
}

bool pmix_boot::publish_own_keys(node_listener& listener, std::string& why) {
  am_status status = key_store_.put(build_key, seam::as_bytes(base::build_version()));
  if (status == AM_OK && rank() == 0) {
    if (!base::fill_with_secret(secret_)) {
      why = base::format("join: no secret for the job: {}", base::errno_text(errno));
      return false;
    }
    status = key_store_.put(secret_key, secret_);
  }
  const std::vector<unsigned> cpus = base::allowed_cpus();
  if (status == AM_OK) status = key_store_.put(cpus_key, std::as_bytes(std::span(cpus)));
  if (status == AM_OK && rank() == server_.local_ranks().front() &&
      server_.local_ranks().size() > 1) {
    status = node_listener::listen(listener);
    const std::uint64_t name = listener.name();
    if (status == AM_OK) status = key_store_.put(listener_key, std::as_bytes(std::span(&name, 1)));
  }
  if (status != AM_OK) why = base::error_text();
  return status == AM_OK;
}

// A rank whose earlier process has joined in this job. When that process ended, mpirun's server may
// have lost count of the ranks of its host: one of its threads reads the end of the connection, and
// another one records that the rank has finalized before (seen with libpmix 4.2 in Open MPI 4.1).
// From then on its fences pass without a rank, or never pass. On one host this join uses none of
// them, because its fences go through files.
bool pmix_boot::may_succeed(std::string& why) const {
  if (!server_.steps().has_predecessor() || !under_mpirun() || may_use_files()) return true;
  why = base::format(
      "join: a program has been rank {} of this job before, and mpirun {} takes one for each rank: "
      "start this one by an mpirun of its own, or use am-run or srun",
      rank(),
      !one_host()      ? "over several hosts"
      : watches_exits_ ? "--enable-recovery"
                       : "without the folder PMIX_SERVER_TMPDIR at every rank");
  return false;
}

// For fences, from the second join on. They do not notice deaths.
bool pmix_boot::may_use_files() const {
  return one_host() && !watches_exits_ && server_.steps().are_complete();
}

// When a process ends, the server takes its rank out of the fence that others of its host have
// begun, even if it has left, and the next process of its rank is to come to that fence. So no rank
// begins the fence of a join before each rank of its host has a process in this join: the server
// had seen the end of the earlier one when it answered that one.
am_status pmix_boot::wait_for_processes() {
  step_files& steps = server_.steps();
  if (steps.taken() == 1) return AM_OK;
  if (may_use_files()) return file_fence_.emplace(steps).open();
  for (late_warning warning(server_); steps.any_late(); warning.warn_if_late())
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return AM_OK;
}

bool pmix_boot::wait_for_fence(std::string& why) {
  late_warning warning(server_);
  am_status status = start_fence();
  while (status == AM_OK && (status = fence_done()) == AM_AGAIN_CONNECTING) {
    status = AM_OK;
    constexpr int a_second = 1000;
    pollfd event{fence_descriptor(), POLLIN, 0};
    (void)::poll(&event, 1, a_second);
    warning.warn_if_late();
  }
  if (status != AM_OK) why = base::format("join: {}", base::error_text());
  return status == AM_OK;
}

// Shared memory, and all that follows, requires one build.
bool pmix_boot::check_builds(std::string& why) {
  std::vector<std::byte> blob;
  for (am_rank each = 0; each < ranks(); ++each) {
    bool found = false;
    if (find_key(each, build_key, blob, found) != AM_OK) {
      why = base::format("join: {}", base::error_text());
      return false;
    }
    const std::string_view theirs(reinterpret_cast<const char*>(blob.data()), blob.size());
    if (found && theirs == base::build_version()) continue;
    why = found ? base::other_build_text(each, theirs)
                : base::format(
                      "join: rank {} has not come to this join: does its process see the "
                      "folder PMIX_SERVER_TMPDIR, by which the joins of ranks are counted?",
                      each);
    return false;
  }
  return true;
}

bool pmix_boot::read_peer_keys(std::string& why) {
  std::vector<std::byte> blob;
  const auto read = [&](am_rank from, std::string_view key) {
    if (key_store_.get(from, key, blob) == AM_OK) return true;
    why = base::format("join: {}", base::error_text());
    return false;
  };
  if (!read(0, secret_key)) return false;
  if (blob.size() != secret_.size()) {
    why = base::format("join: the secret of rank 0 has {} bytes, not {}", blob.size(),
                       secret_.size());
    return false;
  }
  std::ranges::copy(blob, secret_.begin());
  std::set<unsigned> cpus;
  for (const am_rank each : server_.local_ranks()) {
    if (!read(each, cpus_key)) return false;
    for (std::size_t at = 0; at + sizeof(unsigned) <= blob.size(); at += sizeof(unsigned)) {
      unsigned number = 0;
      std::memcpy(&number, blob.data() + at, sizeof number);
      cpus.insert(number);
    }
  }
  cpus_ = static_cast<unsigned>(cpus.size());
  return true;
}

// Without node resources shm reports why it is not used, and another transport is. But where ranks
// have to watch for deaths, the join fails without them.
bool pmix_boot::set_up_node_group(const node_listener& listener, std::string& why) {
  const node_group group{server_.local_ranks(), rank(), secret_, watches_exits_};
  std::vector<std::byte> blob;
  std::uint64_t name = 0;
  bool joined = false;
  if (rank() == group.ranks.front()) {
    joined = serve_node_group(listener, group, folder_, node_, no_node_reason_);
  } else if (key_store_.get(group.ranks.front(), listener_key, blob) == AM_OK &&
             blob.size() == sizeof name) {
    std::memcpy(&name, blob.data(), sizeof name);
    joined = join_node_group(name, group, node_, no_node_reason_);
  } else {
    no_node_reason_ = base::error_text();
  }
  if (watches_exits_ && (!joined || !start_exit_watcher())) {
    why = base::format(
        "join: mpirun lets the others go on when a rank dies (--enable-recovery), but {}: start it "
        "without",
        no_node_reason_.empty() ? "the ranks of this host cannot watch each other (all of them "
                                  "need pidfds, of Linux 5.3)"
                                : no_node_reason_);
    return false;
  }
  if (joined) (void)key_store_.put(node_key, {});
  return true;
}

}  // namespace am::detail::pmix
