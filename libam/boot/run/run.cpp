// A rank's side of the connection with am-run.
#include <libam/boot/run/run.hpp>

#include <libam/base/cpus.hpp>
#include <libam/base/descriptor_passing.hpp>
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/boot/run/handshake.hpp>
#include <libam/boot/run/protocol.hpp>
#include <libam/seam/blob_list.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace am::detail::boot {
namespace {

class run_boot final : public seam::boot {
 public:
  explicit run_boot(join_result joined) : self_(std::move(joined)), published_(self_.ranks) {}
  // Without leave() am-run takes the end of the connection for a death.
  ~run_boot() override { disarm_lifeline(); }

  [[nodiscard]] std::string_view name() const noexcept override { return "run"; }
  [[nodiscard]] am_rank rank() const noexcept override { return self_.rank; }
  [[nodiscard]] am_rank ranks() const noexcept override { return self_.ranks; }
  [[nodiscard]] am_rank ranks_here() const noexcept override { return self_.ranks_here; }

  // A mask other than am-run's was set on purpose.
  [[nodiscard]] unsigned cpus() const override {
    const std::vector<unsigned> own = base::allowed_cpus();
    const bool bound_by_run = own.size() == 1 && own.front() == self_.bound_to;
    return base::limit_to_quota(bound_by_run ? self_.cpus : static_cast<unsigned>(own.size()));
  }

  am_status put(std::string_view key, std::span<const std::byte> blob) override {
    if (const am_status status = seam::check_put(key, blob, pending_.size()); status != AM_OK)
      return status;
    seam::add_blob(pending_, key, blob);
    return AM_OK;
  }

  am_status start_fence() override {
    const am_status status = send_all(make_frame(frame_kind::fence, pending_));
    if (status == AM_OK) pending_.clear();
    return status;
  }

  am_status fence_done() override {
    for (;;) {
      if (const auto answer = reader_.next()) {
        const am_status status = accept_fenced(*answer);
        reader_ = frame_reader(most_fenced_bytes);  // frees the answer; am-run sends no more yet
        return status;
      }
      // The announced length is enough to know: nothing more may be read.
      if (reader_.broken())
        return base::fail(AM_PEER_LOST, "fence: am-run announces an answer of more than {} bytes",
                          most_fenced_bytes);
      std::array<std::byte, 1U << 14> room;
      std::vector<base::fd> none;
      const long received =
          base::receive_with_descriptors(self_.connection.get(), room, none, MSG_DONTWAIT);
      if (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return AM_AGAIN_CONNECTING;
      if (received <= 0) return base::fail(AM_PEER_LOST, "fence: am-run is gone");
      reader_.feed(seam::bytes_view(room).first(static_cast<std::size_t>(received)));
    }
  }

  [[nodiscard]] int fence_descriptor() const noexcept override { return self_.connection.get(); }

  am_status get(am_rank rank, std::string_view key, std::vector<std::byte>& blob) override {
    if (rank >= self_.ranks)
      return base::fail(AM_ARGUMENT_RANK, "get: there is no rank {} in a job of {}", rank,
                        self_.ranks);
    const auto found = published_[rank].find(key);
    if (!found)
      return base::fail(AM_ARGUMENT_SETTING, "get: rank {} had not put '{}' before the last fence",
                        rank, key);
    blob.assign(found->begin(), found->end());
    return AM_OK;
  }

  am_status share_memory(std::size_t bytes, std::size_t total_bytes,
                         base::shared_memory& memory) override {
    base::fd own(::fcntl(self_.memory.get(), F_DUPFD_CLOEXEC, 0));
    if (!own.valid())
      return base::fail(AM_RESOURCE_DESCRIPTORS, "shared memory: dup: {}", base::errno_text(errno));
    return memory.map(std::move(own), bytes, total_bytes);
  }
  [[nodiscard]] std::uint64_t host_id() const noexcept override { return self_.host_id; }

  [[nodiscard]] const seam::job_secret* secret() const noexcept override { return &self_.secret; }

  base::fd wakeup_socket() override { return std::move(self_.wakeup); }

  // If am-run has ended the next fence reports it.
  void request_exit_notification(const seam::exit_notification& where) noexcept override {
    std::string body;
    for (const std::uint64_t each : {where.attention, where.bits, where.exit_report, where.wakeup})
      seam::add_long(body, each);
    (void)send_all(make_frame(frame_kind::notify, body));
  }

  void leave() noexcept override {
    disarm_lifeline();
    (void)send_all(make_frame(frame_kind::leave, {}));
  }

  [[noreturn]] void abort(int exit_status, std::string_view line) noexcept override {
    disarm_lifeline();
    std::string body;
    seam::add_number(body, static_cast<std::uint32_t>(exit_status));
    body.append(line.substr(0, most_line_bytes));
    (void)send_all(make_frame(frame_kind::abort, body));
    std::fflush(nullptr);
    ::_exit(exit_status);
  }

 private:
  // am-run closes its end after a leave or an abort, and the kernel must not kill this process
  // then.
  void disarm_lifeline() noexcept { ::fcntl(self_.lifeline.get(), F_SETFL, 0); }

  am_status send_all(std::string_view bytes) {
    while (!bytes.empty()) {
      if (!wait_for_socket(self_.connection.get(), POLLOUT))
        return base::fail(AM_PEER_LOST, "fence: am-run has not read for {} s", answer_deadline_s);
      const long sent =
          base::send_with_descriptors(self_.connection.get(), bytes, {}, MSG_DONTWAIT);
      if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) continue;
      if (sent < 0) return base::fail(AM_PEER_LOST, "fence: am-run is gone");
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return AM_OK;
  }

  am_status accept_fenced(const frame& answer) {
    if (answer.kind != frame_kind::fenced || !publish(answer.body))
      return base::fail(AM_PEER_LOST, "fence: am-run's answer is malformed");
    return AM_OK;
  }

  bool publish(seam::bytes_view body) {
    seam::cursor at(body);
    for (auto& blobs_of_rank : published_) {
      const auto length = at.number();
      const auto part = length ? at.bytes(*length) : std::nullopt;
      if (!part || !blobs_of_rank.add(*part)) return false;
    }
    return at.empty();
  }

  join_result self_;
  std::string pending_;
  std::vector<seam::blob_list> published_;  // by rank
  frame_reader reader_{most_fenced_bytes};
};

}  // namespace

std::unique_ptr<seam::boot> join_run(std::string& why) {
  const char* text = std::getenv(join_socket_variable);
  if (text == nullptr) return nullptr;
  int join_socket = -1;
  const char* end = text + std::strlen(text);
  if (std::from_chars(text, end, join_socket).ptr != end || join_socket < 0) {
    why = base::format("join: {}={} is not the number of a descriptor: unset it to run alone",
                       join_socket_variable, text);
    return nullptr;
  }
  join_result joined;
  if (!perform_handshake(join_socket, joined, why)) return nullptr;
  return std::make_unique<run_boot>(std::move(joined));
}

}  // namespace am::detail::boot
