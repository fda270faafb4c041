#include "neighbour_job.hpp"

#include "../support/simulated_boot.hpp"
#include "target.hpp"

#include <libam/base/shared_memory.hpp>

#include <fcntl.h>
#include <sys/mman.h>

#include <csetjmp>
#include <cstring>

namespace am_test::fuzz {

namespace base = am::detail::base;
namespace core = am::detail::core;
namespace shm = am::detail::shm;

namespace {

constexpr std::uint32_t most_slots = 128;  // a ring doubles once
constexpr shm::layout the_layout(job_ranks, most_slots);

// The job's memory, mapped once.
struct job_memory {
  job_memory() {
    base::fd file;
    AM_PROMISE(base::shared_memory::create(file) == AM_OK);
    descriptor = base::fd(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0));
    AM_PROMISE(mapped.map(std::move(file), the_layout.job_bytes(), the_layout.file_bytes()) ==
               AM_OK);
    // No rank of the test uses the channels between two others, or those from this rank to them.
    for (am_rank from = 0; from < job_ranks; ++from) {
      for (am_rank to = 0; to < job_ranks; ++to) {
        if (to == me || (from == me && to == neighbour)) continue;
        AM_PROMISE(::mprotect(mapped.data() + the_layout.channel_at(from, to),
                              the_layout.channel_bytes(), PROT_NONE) == 0);
      }
    }
  }
  base::shared_memory mapped;
  base::fd descriptor;
};

job_memory& the_memory() {
  static job_memory& instance = *new job_memory;
  return instance;
}

// ---- the end of a job ---------------------------------------------------------------------------

std::jmp_buf end_of_act;
bool may_end = false;
std::string& last_error() {
  static std::string& instance = *new std::string;
  return instance;
}

class fuzz_boot final : public simulated_boot {
 public:
  fuzz_boot() : simulated_boot(me, job_ranks) { share(the_memory().mapped); }
  [[nodiscard]] unsigned cpus() const override { return job_ranks; }
  base::fd wakeup_socket() override { return {}; }  // no other process is woken
  [[noreturn]] void abort(int, std::string_view line) noexcept override {
    AM_PROMISE(may_end);
    may_end = false;
    last_error() = line;
    std::longjmp(end_of_act, 1);
  }
};

constexpr std::byte unwritten{0xa5};

}  // namespace

neighbour_job::neighbour_job(std::uint32_t credits, base::bulk_method bulk) {
  auto& memory = the_memory();
  memory.mapped.release(0, the_layout.file_bytes());
  const std::string pattern(shm::page, static_cast<char>(unwritten));
  AM_PROMISE(::pwrite(memory.descriptor.get(), pattern.data(), pattern.size(),
                      static_cast<off_t>(foreign_page())) == static_cast<ssize_t>(shm::page));
  settings_.credits = credits;
  settings_.shm_slots = most_slots;
  settings_.shm_bulk = bulk;
  settings_.log = base::log_level::warn;
  settings_.wait = base::wait_mode::spin;
  (void)take_log_lines();
  core::endpoint* made = nullptr;
  AM_PROMISE(core::endpoint::join(std::make_unique<fuzz_boot>(), settings_, &made) == AM_OK);
  ep_.reset(made);
}

neighbour_job::~neighbour_job() = default;

// Objects that longjmp skips are not destroyed, and not used again.
void neighbour_job::run_guarded(const std::function<void()>& act) {
  if (has_ended_) return;
  if (setjmp(end_of_act) == 0) {
    may_end = true;
    act();
    may_end = false;
    return;
  }
  has_ended_ = true;
  const std::vector<std::string> lines = take_log_lines();
  AM_PROMISE(lines.size() == 1);
  AM_PROMISE(lines.front() == last_error());
  AM_PROMISE(!last_error().empty());
  AM_PROMISE(last_error().find('\n') == std::string::npos);
}

const shm::layout& neighbour_job::layout() const noexcept { return the_layout; }
std::byte* neighbour_job::memory() noexcept { return the_memory().mapped.data(); }

bool neighbour_job::is_shared(const void* data) const noexcept {
  const auto* at = static_cast<const std::byte*>(data);
  return at >= memory() && at < memory() + the_layout.job_bytes();
}

bool neighbour_job::is_message(const am_word* words) noexcept {
  if (!is_shared(words)) return true;  // libam's own, of a call that has ended
  for (const shm::slot* const ring : {requests(neighbour, me), replies(me, neighbour)}) {
    const auto* const first = reinterpret_cast<const std::byte*>(ring);
    const auto* const at = reinterpret_cast<const std::byte*>(words);
    if (at < first || at >= first + most_slots * sizeof(shm::slot)) continue;
    const auto slot = static_cast<std::size_t>(at - first) / sizeof(shm::slot);
    const auto what = shm::kind_of(ring[slot].control.load());
    using shm::kind;
    return what == kind::small || what == kind::medium || what == kind::bulk ||
           what == kind::request_with_room || what == kind::answer;
  }
  return false;
}

bool neighbour_job::is_payload(const void* data, std::size_t bytes) noexcept {
  const auto* at = static_cast<const std::byte*>(data);
  const std::size_t most = the_layout.payloads().most_room();
  for (const std::byte* const room :
       {payload(neighbour, me), memory() + the_layout.answers_at(me, neighbour)})
    if (at >= room && bytes <= most && at + bytes <= room + most) return true;
  return false;
}

std::size_t neighbour_job::foreign_page() const noexcept { return the_layout.payload_at(0, 0); }

bool neighbour_job::foreign_page_is_untouched() const noexcept {
  std::array<std::byte, shm::page> found;
  if (::pread(the_memory().descriptor.get(), found.data(), found.size(),
              static_cast<off_t>(foreign_page())) != static_cast<ssize_t>(shm::page))
    return false;
  for (const std::byte each : found)
    if (each != unwritten) return false;
  return true;
}

}  // namespace am_test::fuzz
