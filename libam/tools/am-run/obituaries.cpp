// Deaths that the others outlive: one word in the memory of the job says who has died, and every
// other rank's attention is called, where it looks anyway. A rank that sleeps is rung.
#include <libam/base/bell.hpp>
#include <libam/tools/am-run/server.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>

namespace am::detail::run {
namespace {

// One word of memory that the ranks have mapped. Not where a rank has named nonsense, nor where
// there is no page and none to be had: touching that would end am-run.
class shared_word {
 public:
  shared_word(int memory, std::uint64_t offset) {
    struct stat found {};
    if (offset % sizeof(std::uint64_t) != 0 || ::fstat(memory, &found) != 0 ||
        offset >= static_cast<std::uint64_t>(found.st_size) ||
        ::fallocate(memory, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                    sizeof(std::uint64_t)) != 0)
      return;
    const std::uint64_t first = offset / page * page;
    void* at = ::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, memory,
                      static_cast<off_t>(first));
    if (at == MAP_FAILED) return;
    page_ = static_cast<std::byte*>(at);
    word_ = reinterpret_cast<std::uint64_t*>(page_ + (offset - first));
  }
  ~shared_word() {
    if (page_ != nullptr) ::munmap(page_, page);
  }
  shared_word(const shared_word&) = delete;
  shared_word& operator=(const shared_word&) = delete;

  void set(std::uint64_t bits) noexcept {
    if (word_ == nullptr) return;
    // SYNC(obituary): with the acquire in look_for_deaths. The dead one's process is gone, and with
    // it went all that it had written.
    // SYNC(attention): with the acquire in poller::answer_the_door. The obituary is there.
    std::atomic_ref<std::uint64_t>(*word_).fetch_or(bits, std::memory_order_release);
  }

 private:
  static constexpr std::uint64_t page = 4096;
  std::byte* page_ = nullptr;
  std::uint64_t* word_ = nullptr;
};

}  // namespace

bool server::take_watch(am_rank rank, boot::bytes_view body) {
  boot::cursor at(body);
  const auto attention = at.long_number();
  const auto bits = at.long_number();
  const auto obituary = at.long_number();
  const auto bell = at.long_number();
  if (!attention || !bits || !obituary || !bell || !at.empty()) return false;
  epochs_[places_[rank].epoch].watches[rank] = {*attention, *bits, *obituary, *bell};
  return true;
}

bool server::bury(am_rank rank) {
  const unsigned number = places_[rank].epoch;
  if (number != 0 && places_[rank].buried == number) return true;
  const auto found = epochs_.find(number);
  if (found == epochs_.end() || places_[rank].completed == number) return false;
  gathering& epoch = found->second;
  const auto present = [](const auto& watch) { return watch.has_value(); };
  if (!std::ranges::all_of(epoch.watches, present)) return false;
  if (inside(rank)) close_conversation(rank);
  places_[rank].buried = number;
  epoch.dead[rank] = true;
  ++epoch.deaths;
  // What it had brought to the fence that is being gathered is as lost as what it had not.
  if (epoch.parts[rank]) --epoch.arrived;
  epoch.parts[rank].reset();
  tell_of_death(epoch, rank);
  if (epoch.arrived != 0 && epoch.arrived + epoch.deaths == places_.size()) answer_fence(number);
  forget_if_over(number);
  return true;
}

void server::tell_of_death(const gathering& epoch, am_rank dead) {
  shared_word(epoch.memory.get(), epoch.watches[dead]->obituary).set(1);
  for (am_rank rank = 0; rank < places_.size(); ++rank) {
    if (epoch.dead[rank]) continue;
    const seam::deathwatch& watch = *epoch.watches[rank];
    shared_word(epoch.memory.get(), watch.attention).set(watch.bits);
    // A bell for each: one whose datagrams nobody reads would wait for room.
    base::fd socket;
    if (base::bell::create(socket) == AM_OK) base::bell(std::move(socket)).ring(watch.bell);
  }
}

}  // namespace am::detail::run
