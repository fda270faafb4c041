#include <libam/base/bell.hpp>
#include <libam/base/format.hpp>
#include <libam/base/quiet_thread.hpp>
#include <libam/base/shared_word.hpp>
#include <libam/base/why.hpp>
#include <libam/boot/pmix/vigil.hpp>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace am::detail::pmix {

static_assert(std::is_trivially_copyable_v<deathwatch>);

// The ranks of a host are of one architecture.
std::vector<std::byte> as_blob(const deathwatch& where) {
  std::vector<std::byte> blob(sizeof where);
  std::memcpy(blob.data(), &where, sizeof where);
  return blob;
}

std::optional<deathwatch> read_watch(std::span<const std::byte> blob) {
  deathwatch where{};
  if (blob.size() != sizeof where) return std::nullopt;
  std::memcpy(&where, blob.data(), sizeof where);
  return where;
}

vigil::vigil(share& house, std::size_t self, end_job end)
    : house_(house), self_(self), end_(std::move(end)) {}

vigil::~vigil() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  (void)!::write(stop_.get(), &one, sizeof one);
  thread_.join();
}

bool vigil::begin(std::string& why) {
  stop_ = base::fd(::eventfd(0, EFD_CLOEXEC));
  if (!stop_.valid()) {
    why = base::format("eventfd: {}", base::why(errno));
    return false;
  }
  try {
    thread_ = base::quiet_thread([this] { watch(); });
  } catch (const std::system_error& failure) {
    why = base::format("no thread to watch the others by: {}", failure.what());
  }
  return thread_.joinable();
}

void vigil::tell_instead(std::vector<deathwatch> watches) noexcept {
  watches_ = std::move(watches);
  tells_.store(true, std::memory_order_release);  // SYNC(vigil): with the acquire in watch
}

void vigil::watch() noexcept {
  std::vector<pollfd> watched;
  for (std::size_t place = 0; place < house_.pidfds.size(); ++place)
    watched.push_back({place == self_ ? -1 : house_.pidfds[place].get(), POLLIN, 0});
  watched.push_back({stop_.get(), POLLIN, 0});
  while (watched.back().revents == 0) {
    if (::poll(watched.data(), watched.size(), -1) < 0) continue;
    for (std::size_t place = 0; place + 1 < watched.size(); ++place) {
      if (watched[place].revents == 0) continue;
      watched[place] = {-1, 0, 0};
      // SYNC(roll): with the release in pmix's leave. A process that has left may end.
      if (house_.of(place).left.load(std::memory_order_acquire) != 0) continue;
      // SYNC(vigil): with the release in tell_instead. The watches are there.
      if (tells_.load(std::memory_order_acquire))
        tell(place, self_);
      else
        end_(place);
    }
  }
}

// The dead one writes no more: its process is gone, or is this one, which has given its place up.
void vigil::tell(std::size_t dead, std::size_t whom) const noexcept {
  const int memory = house_.memory.get();
  house_.of(dead).dead = 1;
  base::shared_word(memory, watches_[dead].obituary).set(1);
  base::shared_word(memory, watches_[whom].attention).set(watches_[whom].bits);
  base::fd socket;
  if (base::bell::create(socket) != AM_OK) return;
  const base::bell bell(std::move(socket));
  bell.ring(watches_[whom].bell);
  bell.ring(house_.of(whom).bell);
}

void vigil::tell_of_own_death() noexcept {
  for (std::size_t place = 0; place < watches_.size(); ++place)
    if (place != self_) tell(self_, place);
}

}  // namespace am::detail::pmix
