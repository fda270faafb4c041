#include <libam/gam/reply_copies.hpp>

#include <cstdint>
#include <cstring>
#include <new>

namespace am::detail::gam {

const std::byte* reply_copies::add(am_rank rank, const void* data, std::size_t bytes) try {
  auto copy = std::make_unique_for_overwrite<std::byte[]>(bytes);
  std::memcpy(copy.get(), data, bytes);
  const std::byte* const at = copy.get();
  all_[reinterpret_cast<std::uintptr_t>(at)] = {rank, std::move(copy)};
  return at;
} catch (const std::bad_alloc&) {
  return nullptr;
}

void reply_copies::release(am_rank rank, am_word at) {
  const auto found = all_.find(at);
  if (found != all_.end() && found->second.first == rank) all_.erase(found);
}

}  // namespace am::detail::gam
