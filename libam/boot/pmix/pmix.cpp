#include <libam/base/build.hpp>
#include <libam/base/cpu_quota.hpp>
#include <libam/base/cpus.hpp>
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/base/random.hpp>
#include <libam/base/settings.hpp>
#include <libam/base/why.hpp>
#include <libam/boot/pmix/board.hpp>
#include <libam/boot/pmix/gathering.hpp>
#include <libam/boot/pmix/house.hpp>
#include <libam/boot/pmix/in_time.hpp>
#include <libam/boot/pmix/pmix.hpp>
#include <libam/boot/pmix/recovery.hpp>
#include <libam/boot/pmix/session.hpp>
#include <libam/boot/pmix/vigil.hpp>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>
#include <thread>
#include <utility>

namespace am::detail::pmix {

namespace {

// How long a launcher may take to end a job in which a rank has died.
constexpr std::chrono::seconds launcher_patience{5};

// Keys of our own: those of programs begin otherwise.
constexpr std::string_view secret_key = "pmix.secret";  // of rank 0
constexpr std::string_view build_key = "pmix.build";    // of every rank
constexpr std::string_view cpus_key = "pmix.cpus";
constexpr std::string_view door_key = "pmix.door";    // of the first rank of a host
constexpr std::string_view house_key = "pmix.house";  // of who has got its share
constexpr std::string_view watch_key = "pmix.watch";

std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

class pmix_boot final : public seam::boot {
 public:
  pmix_boot(session& server, const base::settings& settings)
      : server_(server),
        tells_deaths_(settings.outlives_deaths),
        watches_(mpirun_recovers()),
        folder_(settings.shm_dir),
        patience_(settings.stall_warn),
        board_(server, server.joins()) {}
  ~pmix_boot() override;

  [[nodiscard]] bool watches() const noexcept { return watches_; }

  // What all ranks do before any of them may use the rest. False and one line: it has failed.
  bool begin(std::string& why);

  [[nodiscard]] std::string_view name() const noexcept override { return "pmix"; }
  [[nodiscard]] am_rank rank() const noexcept override { return server_.rank(); }
  [[nodiscard]] am_rank ranks() const noexcept override { return server_.ranks(); }
  [[nodiscard]] am_rank ranks_here() const noexcept override {
    return static_cast<am_rank>(server_.here().size());
  }
  [[nodiscard]] unsigned cpus() const override { return base::within_quota(cpus_); }

  am_status put(std::string_view key, std::span<const std::byte> blob) override {
    return board_.put(key, blob);
  }
  am_status start_fence() override;
  am_status fence_done() override;
  [[nodiscard]] int fence_descriptor() const noexcept override {
    return gathering_ ? gathering_->descriptor() : server_.fence_descriptor();
  }
  am_status get(am_rank rank, std::string_view key, std::vector<std::byte>& blob) override {
    return board_.get(rank, key, blob);
  }
  am_status share_memory(std::size_t bytes, std::size_t whole,
                         base::shared_memory& memory) override;
  [[nodiscard]] const seam::job_secret* secret() const noexcept override { return &secret_; }
  base::fd bell_socket() override { return std::move(house_.bell); }
  void watch_for_deaths(const seam::deathwatch& where) noexcept override {
    if (watches_ && tells_deaths_) (void)board_.put(watch_key, as_blob(where));
  }
  void leave() noexcept override;
  [[noreturn]] void abort(int exit_status, std::string_view line) noexcept override {
    server_.abort(exit_status, line);
  }

 private:
  bool introduce(door& at, std::string& why);
  bool fence_now(std::string& why);
  bool meet_the_others(std::string& why);
  bool move_in(const door& at, std::string& why);
  bool begin_vigil();
  am_status agree();
  am_status find(am_rank whose, std::string_view key, std::vector<std::byte>& blob, bool& found);
  [[nodiscard]] std::size_t place() const noexcept {
    const auto& here = server_.here();
    return static_cast<std::size_t>(std::ranges::lower_bound(here, rank()) - here.begin());
  }

  session& server_;
  const bool tells_deaths_;  // rather than to end the job
  const bool watches_;       // for deaths: the launcher does nothing; then all ranks are here
  const std::string folder_;
  const std::chrono::seconds patience_;
  board board_;
  unsigned cpus_ = 1;
  seam::job_secret secret_{};
  share house_;
  std::string no_house_;  // why there is none
  bool joining_ = true;   // begin() has yet to return
  bool agreed_ = false;   // on how to meet from now on
  bool left_ = false;
  std::unique_ptr<vigil> vigil_;
  std::optional<gathering> gathering_;
};

// ---- joining ------------------------------------------------------------------------------------

bool pmix_boot::begin(std::string& why) {
  door at;
  if (!introduce(at, why) || !fence_now(why) || !meet_the_others(why) || !move_in(at, why))
    return false;
  joining_ = false;
  return true;
}

bool pmix_boot::introduce(door& at, std::string& why) {
  am_status status = board_.put(build_key, as_bytes(base::build()));
  if (status == AM_OK && rank() == 0) {
    if (!base::fill_with_secret(secret_)) {
      why = base::format("join: no secret for the job: {}", base::why(errno));
      return false;
    }
    status = board_.put(secret_key, secret_);
  }
  const std::vector<unsigned> cpus = base::allowed_cpus();
  if (status == AM_OK) status = board_.put(cpus_key, std::as_bytes(std::span(cpus)));
  if (status == AM_OK && rank() == server_.here().front() && server_.here().size() > 1) {
    status = door::open(at);
    const std::uint64_t name = at.name();
    if (status == AM_OK) status = board_.put(door_key, std::as_bytes(std::span(&name, 1)));
  }
  if (status != AM_OK) why = base::error_text();
  return status == AM_OK;
}

// The others may be as late as they like; that it is they who are waited for is said now and then.
bool pmix_boot::fence_now(std::string& why) {
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  bool told = false;
  am_status status = start_fence();
  while (status == AM_OK && (status = fence_done()) == AM_AGAIN_CONNECTING) {
    status = AM_OK;
    constexpr int a_second = 1000;
    pollfd news{fence_descriptor(), POLLIN, 0};
    (void)::poll(&news, 1, a_second);
    if (told || clock::now() - start < answer_deadline) continue;
    told = true;
    base::log(base::log_level::warn,
              "join: for {} s on host {} not every rank of {} has come: does one not call join?",
              answer_deadline.count(), server_.host(), ranks());
  }
  if (status != AM_OK) why = base::format("join: {}", base::error_text());
  return status == AM_OK;
}

bool pmix_boot::meet_the_others(std::string& why) {
  std::vector<std::byte> blob;
  const auto read = [&](am_rank from, std::string_view key) {
    if (board_.get(from, key, blob) == AM_OK) return true;
    why = base::format("join: {}", base::error_text());
    return false;
  };
  // Handed-over memory and all that follows is of one build.
  for (am_rank each = 0; each < ranks(); ++each) {
    if (!read(each, build_key)) return false;
    const std::string_view theirs(reinterpret_cast<const char*>(blob.data()), blob.size());
    if (theirs == base::build()) continue;
    why =
        base::format("join: rank {} is of libam {}, and this is libam {}: give all ranks the same",
                     each, theirs, base::build());
    return false;
  }
  if (!read(0, secret_key)) return false;
  if (blob.size() != secret_.size()) {
    why = base::format("join: the secret of rank 0 has {} bytes, not {}", blob.size(),
                       secret_.size());
    return false;
  }
  std::ranges::copy(blob, secret_.begin());
  std::set<unsigned> cpus;
  for (const am_rank each : server_.here()) {
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

// Where there is no house, shm says why it is not used, and another transport serves. But where
// deaths have to be watched for, nobody joins who cannot.
bool pmix_boot::move_in(const door& at, std::string& why) {
  const household all{server_.here(), rank(), secret_, watches_};
  std::vector<std::byte> blob;
  std::uint64_t name = 0;
  bool moved_in = false;
  if (rank() == all.ranks.front()) {
    moved_in = hand_out(at, all, folder_, house_, no_house_);
  } else if (board_.get(all.ranks.front(), door_key, blob) == AM_OK && blob.size() == sizeof name) {
    std::memcpy(&name, blob.data(), sizeof name);
    moved_in = ask_for(name, all, house_, no_house_);
  } else {
    no_house_ = base::error_text();
  }
  if (watches_ && (!moved_in || !begin_vigil())) {
    why = base::format(
        "join: mpirun lets the others go on when a rank dies (--enable-recovery), but {}: start it "
        "without",
        no_house_.empty() ? "the ranks of this host cannot watch each other (that takes pidfds, of "
                            "Linux 5.3, and all of them)"
                          : no_house_);
    return false;
  }
  if (moved_in) (void)board_.put(house_key, {});
  return true;
}

am_status pmix_boot::share_memory(std::size_t bytes, std::size_t whole,
                                  base::shared_memory& memory) {
  if (!house_.memory.valid()) return base::fail(AM_RESOURCE_MEMORY, "{}", no_house_);
  base::fd own(::fcntl(house_.memory.get(), F_DUPFD_CLOEXEC, 0));
  if (!own.valid())
    return base::fail(AM_RESOURCE_DESCRIPTORS, "shared memory: dup: {}", base::why(errno));
  return memory.map(std::move(own), bytes, whole);
}

// ---- fences and deaths --------------------------------------------------------------------------

am_status pmix_boot::start_fence() {
  if (const am_status status = board_.send(); status != AM_OK) return status;
  if (!gathering_) return server_.start_fence();
  gathering_->come();
  return AM_OK;
}

am_status pmix_boot::fence_done() {
  bool complete = true;
  if (gathering_ && !gathering_->complete()) return AM_AGAIN_CONNECTING;
  if (!gathering_) {
    if (const am_status status = server_.fence_done(complete); status != AM_OK) return status;
  }
  board_.turn();
  if (!complete) {
    // Mostly the launcher ends the job at that, and says why.
    std::this_thread::sleep_for(launcher_patience);
    return base::fail(AM_PEER_LOST, "fence: a rank has ended and did not come");
  }
  return joining_ || agreed_ ? AM_OK : agree();
}

am_status pmix_boot::find(am_rank whose, std::string_view key, std::vector<std::byte>& blob,
                          bool& found) {
  const am_status status = board_.get(whose, key, blob);
  found = status == AM_OK;
  return status == AM_ARGUMENT_SETTING ? AM_OK : status;  // it has not put any
}

// After the first fence of all that follows begin(). All ranks find the same, and so do the same.
am_status pmix_boot::agree() {
  agreed_ = true;
  if (!one_host()) return AM_OK;
  am_rank housed = 0;
  std::vector<deathwatch> watches;
  std::vector<std::byte> blob;
  for (am_rank each = 0; each < ranks(); ++each) {
    bool found = false;
    if (const am_status status = find(each, house_key, blob, found); status != AM_OK) return status;
    housed += found;
    if (const am_status status = find(each, watch_key, blob, found); status != AM_OK) return status;
    if (const auto watch = found ? read_watch(blob) : std::nullopt) watches.push_back(*watch);
  }
  if (housed != ranks()) return AM_OK;
  // Whoever has no memory to be told in hears of no death, and the first ends the job.
  if (vigil_ && tells_deaths_ && watches.size() == ranks())
    vigil_->tell_instead(std::move(watches));
  gathering_.emplace(house_, ranks(), place(), patience_);
  return gathering_->open();
}

// A death before all have agreed to be told of one ends the job in any case.
bool pmix_boot::begin_vigil() {
  if (!std::ranges::all_of(house_.pidfds, [](const base::fd& one) { return one.valid(); }))
    return false;
  vigil_ = std::make_unique<vigil>(house_, place(), [this](std::size_t dead) {
    const std::string line = base::format("rank {} has died: the job ends", server_.here()[dead]);
    base::log_line(base::log_level::error, line);
    server_.abort(1, line);
  });
  if (vigil_->begin(no_house_)) return true;
  vigil_.reset();
  return false;
}

// ---- leaving ------------------------------------------------------------------------------------

void pmix_boot::leave() noexcept {
  left_ = true;
  // SYNC(roll): with the acquire in vigil::watch. Nobody takes the end of this process for a death.
  if (house_.roll.data() != nullptr) house_.of(place()).left.store(1, std::memory_order_release);
  vigil_.reset();
  server_.leave();
}

// Without leave() this rank counts as dead. A launcher sees that only when the process ends; so
// either the others are told here, or the job is ended when whoever gave up has had time to say
// why.
pmix_boot::~pmix_boot() {
  if (left_) return;
  if (vigil_ != nullptr && vigil_->tells()) {
    vigil_->tell_of_own_death();
    vigil_.reset();
    server_.give_up();
    return;
  }
  server_.abort_soon("this rank has given up its endpoint: the job ends");
}

}  // namespace

std::unique_ptr<seam::boot> join(const base::settings& settings, std::string& why) {
  session* const server = session::enter(why);
  if (server == nullptr) return nullptr;
  base::set_log(settings.log, server->rank());  // this module has a log of its own
  if (mpirun_recovers() && server->here().size() != server->ranks()) {
    why =
        "join: mpirun lets the others go on when a rank dies (--enable-recovery), but on several "
        "hosts nobody would tell them: start it without";
    server->leave();
    return nullptr;
  }
  auto made = std::make_unique<pmix_boot>(*server, settings);
  if (!made->begin(why)) return nullptr;
  if (settings.outlives_deaths && !made->watches() && server->rank() == 0)
    base::log(
        base::log_level::warn,
        "AM_ON_PEER_DEATH=callback, but here the launcher ends the job when a rank dies: only "
        "am-run, and `mpirun --enable-recovery` on one host, do not");
  return made;
}

}  // namespace am::detail::pmix
