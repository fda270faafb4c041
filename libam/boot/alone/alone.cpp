// Rank 0 of 1. It keeps the rules of the job's key store, so that a program that forgets a fence
// fails here as it would in a larger job.
#include <libam/boot/alone/alone.hpp>

#include <libam/base/error.hpp>
#include <libam/seam/blob_list.hpp>

#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>

namespace am::detail::boot {
namespace {

class alone_boot final : public seam::boot {
 public:
  explicit alone_boot(std::string folder) : folder_(std::move(folder)) {}
  [[nodiscard]] std::string_view name() const noexcept override { return "alone"; }
  [[nodiscard]] am_rank rank() const noexcept override { return 0; }
  [[nodiscard]] am_rank ranks() const noexcept override { return 1; }

  am_status put(std::string_view key, std::span<const std::byte> blob) override {
    if (const am_status status = seam::check_put(key, blob, pending_.size()); status != AM_OK)
      return status;
    seam::add_blob(pending_, key, blob);
    return AM_OK;
  }

  am_status start_fence() override {
    (void)published_.add(seam::as_bytes(std::exchange(pending_, {})));
    return AM_OK;
  }
  am_status fence_done() override { return AM_OK; }
  [[nodiscard]] int fence_descriptor() const noexcept override { return -1; }

  am_status get(am_rank rank, std::string_view key, std::vector<std::byte>& blob) override {
    if (rank != 0)
      return base::fail(AM_ARGUMENT_RANK, "get: there is no rank {} in a job of one", rank);
    const auto found = published_.find(key);
    if (!found)
      return base::fail(AM_ARGUMENT_SETTING,
                        "get: this rank had not put '{}' before the last fence", key);
    blob.assign(found->begin(), found->end());
    return AM_OK;
  }

  am_status share_memory(std::size_t bytes, std::size_t total_bytes,
                         base::shared_memory& memory) override {
    base::fd fresh;
    if (const am_status status = base::shared_memory::create(fresh, folder_); status != AM_OK)
      return status;
    return memory.map(std::move(fresh), bytes, total_bytes);
  }
  [[nodiscard]] std::uint64_t host_id() const noexcept override { return 0; }

  void leave() noexcept override {}

  [[noreturn]] void abort(int exit_status, std::string_view) noexcept override {
    std::fflush(nullptr);
    ::_exit(exit_status);
  }

 private:
  const std::string folder_;
  std::string pending_;
  seam::blob_list published_;
};

}  // namespace

std::unique_ptr<seam::boot> make_alone(std::string folder) {
  return std::make_unique<alone_boot>(std::move(folder));
}

}  // namespace am::detail::boot
