// Reads the memory of another process, without its help.
#pragma once

#include <libam/base/fd.hpp>

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace am::detail::info {

class process_memory {
 public:
  // False: it cannot be read, and `why` is one line with the reason.
  bool open(pid_t pid, std::string& why);

  // False: nothing is mapped there.
  bool read(const void* there, void* here, std::size_t bytes) const noexcept;
  template <class Value>
  bool read(const Value* there, Value& here) const noexcept {
    return read(there, static_cast<void*>(&here), sizeof here);
  }
  bool read(const std::atomic<std::uint32_t>* there, std::uint32_t& here) const noexcept {
    return read(there, &here, sizeof here);
  }
  // `count` values; none if they cannot be read, or are more than a job's tables can have.
  template <class Value>
  [[nodiscard]] std::vector<Value> read_all(const Value* there, std::size_t count) const {
    if (count > most_at_once / sizeof(Value)) return {};
    std::vector<Value> values(count);
    if (!read(there, static_cast<void*>(values.data()), count * sizeof(Value))) values.clear();
    return values;
  }
  [[nodiscard]] std::string read_text(const char* there) const;

  // The content of the ELF note of that name in the first file that has one; null if none has.
  [[nodiscard]] const unsigned char* find_note(std::string_view name, unsigned kind) const;

 private:
  static constexpr std::size_t most_at_once = std::size_t{64} << 20;

  [[nodiscard]] const unsigned char* note_of_file_at(std::uintptr_t start, std::string_view name,
                                                     unsigned kind) const;

  pid_t pid_ = -1;
  base::fd memory_;
};

}  // namespace am::detail::info
