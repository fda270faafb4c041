#include <libam/gam/function_word.hpp>

#include <libam/base/hash.hpp>
#include <libam/core/module_key.hpp>

#include <link.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

namespace am::detail::gam {

namespace {

constexpr unsigned offset_bits = 40;
constexpr am_word offset_mask = (am_word{1} << offset_bits) - 1;
constexpr am_word digest_mask = (am_word{1} << 21) - 1;

struct code_range {
  am_word digest;  // of its file
  std::uintptr_t base;
  std::uintptr_t start;
  std::uintptr_t end;
};

am_word digest_of(std::string_view identity) noexcept {
  return (base::hash_of(identity) >> 20) & digest_mask;
}

int add_code(dl_phdr_info* module, std::size_t, void* context) {
  auto& all = *static_cast<std::vector<code_range>*>(context);
  const am_word digest = digest_of(core::module_identity(*module));
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const std::uintptr_t start = module->dlpi_addr + segment.p_vaddr;
    all.push_back({digest, module->dlpi_addr, start, start + segment.p_memsz});
  }
  return 0;
}

// The loaded code; read again when something is not found.
class loaded_code {
 public:
  template <class Wanted>
  bool find(Wanted&& wanted, code_range& out) {
    const std::lock_guard lock(mutex_);
    for (const bool last : {false, true}) {
      const auto found = std::ranges::find_if(ranges_, wanted);
      if (found != ranges_.end()) return out = *found, true;
      if (last) break;
      ranges_.clear();
      dl_iterate_phdr(&add_code, &ranges_);
    }
    return false;
  }

 private:
  std::mutex mutex_;
  std::vector<code_range> ranges_;
};

loaded_code& code() noexcept {
  static loaded_code& instance = *new loaded_code;
  return instance;
}

// dl_iterate_phdr visits the program first.
int read_program_range(dl_phdr_info* module, std::size_t, void* context) {
  auto& span = *static_cast<image*>(context);
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t start = module->dlpi_addr + segment.p_vaddr;
    span.start = std::min(span.start, start);
    span.end = std::max<std::uintptr_t>(span.end, start + segment.p_memsz);
  }
  return 1;
}

}  // namespace

image program_image() noexcept {
  image span{UINTPTR_MAX, 0};
  dl_iterate_phdr(&read_program_range, &span);
  return span;
}

am_word word_of(any_function function, unsigned number) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(function);
  code_range range{};
  const bool found = code().find(
      [&](const code_range& r) { return address >= r.start && address < r.end; }, range);
  if (!found || address - range.base > offset_mask) return 0;
  return static_cast<am_word>(number) << 61 | range.digest << offset_bits | (address - range.base);
}

any_function function_of(am_word word) noexcept {
  const am_word digest = word >> offset_bits & digest_mask;
  const std::uintptr_t offset = word & offset_mask;
  code_range range{};
  const bool found = code().find(
      [&](const code_range& r) {
        return r.digest == digest && r.base + offset >= r.start && r.base + offset < r.end;
      },
      range);
  return found ? reinterpret_cast<any_function>(range.base + offset) : nullptr;
}

}  // namespace am::detail::gam
