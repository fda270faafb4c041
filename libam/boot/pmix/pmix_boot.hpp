// What a rank is to the PMIx server of its host, for core.
#pragma once

#include <libam/base/settings.hpp>
#include <libam/boot/pmix/exit_watcher.hpp>
#include <libam/boot/pmix/key_store.hpp>
#include <libam/boot/pmix/node_fence.hpp>
#include <libam/boot/pmix/node_group.hpp>
#include <libam/boot/pmix/recovery.hpp>
#include <libam/boot/pmix/session.hpp>
#include <libam/boot/pmix/step_files.hpp>
#include <libam/seam/boot.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace am::detail::pmix {

// Keys of each rank that begin() puts and choose_fence() finds.
constexpr std::string_view node_key = "pmix.node";  // it has its node_resources
constexpr std::string_view exit_notification_key = "pmix.exit_notification";

class pmix_boot final : public seam::boot {
 public:
  pmix_boot(session& server, const base::settings& settings)
      : server_(server),
        reports_failures_(settings.outlives_deaths),
        watches_exits_(mpirun_recovers()),
        folder_(settings.shm_dir),
        warn_after_(settings.stall_warn),
        key_store_(server, server.steps().taken()) {}
  ~pmix_boot() override;

  [[nodiscard]] bool watches_exits() const noexcept { return watches_exits_; }

  // All ranks call it before any of them uses the rest. False and one line: it has failed.
  bool begin(std::string& why);

  [[nodiscard]] std::string_view name() const noexcept override { return "pmix"; }
  [[nodiscard]] am_rank rank() const noexcept override { return server_.rank(); }
  [[nodiscard]] am_rank ranks() const noexcept override { return server_.ranks(); }
  [[nodiscard]] am_rank ranks_here() const noexcept override {
    return static_cast<am_rank>(server_.local_ranks().size());
  }
  [[nodiscard]] unsigned cpus() const override { return base::limit_to_quota(cpus_); }

  am_status put(std::string_view key, std::span<const std::byte> blob) override {
    return key_store_.put(key, blob);
  }
  am_status start_fence() override;
  am_status fence_done() override;
  [[nodiscard]] int fence_descriptor() const noexcept override {
    return node_fence_   ? node_fence_->descriptor()
           : file_fence_ ? file_fence_->descriptor()
                         : server_.fence_descriptor();
  }
  am_status get(am_rank rank, std::string_view key, std::vector<std::byte>& blob) override {
    return key_store_.get(rank, key, blob);
  }
  am_status share_memory(std::size_t bytes, std::size_t total_bytes,
                         base::shared_memory& memory) override;
  [[nodiscard]] std::uint64_t host_id() const noexcept override { return node_.host_id; }
  [[nodiscard]] const seam::job_secret* secret() const noexcept override { return &secret_; }
  base::fd wakeup_socket() override { return std::move(node_.wakeup); }
  void request_exit_notification(const seam::exit_notification& where) noexcept override {
    if (watches_exits_ && reports_failures_)
      (void)key_store_.put(exit_notification_key, as_blob(where));
  }
  void leave() noexcept override;
  [[noreturn]] void abort(int exit_status, std::string_view line) noexcept override {
    server_.abort(exit_status, line);
  }

 private:
  enum class stage { joining, joined, fence_chosen, left };  // joined: begin() has returned
  bool publish_own_keys(node_listener& listener, std::string& why);
  bool may_succeed(std::string& why) const;
  bool may_use_files() const;
  am_status wait_for_processes();
  bool wait_for_fence(std::string& why);
  bool check_builds(std::string& why);
  bool read_peer_keys(std::string& why);
  bool set_up_node_group(const node_listener& listener, std::string& why);
  bool start_exit_watcher();
  am_status choose_fence();
  am_status find_key(am_rank whose, std::string_view key, std::vector<std::byte>& blob,
                     bool& found);

  session& server_;
  const bool reports_failures_;  // deaths do not end the job
  const bool watches_exits_;     // the launcher does not; then all ranks are on this host
  const std::string folder_;
  const std::chrono::seconds warn_after_;
  key_store key_store_;
  unsigned cpus_ = 1;
  seam::job_secret secret_{};
  node_resources node_;
  std::string no_node_reason_;  // why node_ is empty
  stage stage_ = stage::joining;
  std::unique_ptr<exit_watcher> exit_watcher_;
  // The first of these that is there has the fences; without both the server has them.
  std::optional<node_fence> node_fence_;
  std::optional<file_fence> file_fence_;
};

}  // namespace am::detail::pmix
