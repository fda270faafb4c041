#include <libam/base/hash.hpp>
#include <libam/core/module_key.hpp>

#include <elf.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace am::detail::core {

namespace {

struct search {
  std::uintptr_t address;
  std::uintptr_t base = 0;
  std::string identity;
};

bool holds(const dl_phdr_info& module, std::uintptr_t address) {
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module.dlpi_phdr[i];
    const std::uintptr_t start = module.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= start && address - start < segment.p_memsz)
      return true;
  }
  return false;
}

std::string hexadecimal(const unsigned char* bytes, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

// The GNU build-id note of one PT_NOTE segment, or nothing.
std::string build_id(const unsigned char* notes, std::size_t size) {
  std::size_t at = 0;
  while (at + sizeof(ElfW(Nhdr)) <= size) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes + at, sizeof note);
    const std::size_t name = at + sizeof note;
    const std::size_t content = name + (note.n_namesz + 3) / 4 * 4;
    const std::size_t next = content + (note.n_descsz + 3) / 4 * 4;
    if (next > size) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(notes + name, "GNU", 4) == 0)
      return hexadecimal(notes + content, note.n_descsz);
    at = next;
  }
  return {};
}

// A file linked without a build-id is known by its code, which the loader does not change.
std::string code_digest(const dl_phdr_info& module) {
  std::uint64_t hash = base::empty_hash;
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const auto* bytes = reinterpret_cast<const char*>(module.dlpi_addr + segment.p_vaddr);
    hash = base::hash_of({bytes, segment.p_memsz}, hash);
  }
  return fmt::format("code-{:016x}", hash);
}

int examine(dl_phdr_info* module, std::size_t, void* context) {
  auto& wanted = *static_cast<search*>(context);
  if (!holds(*module, wanted.address)) return 0;
  wanted.base = module->dlpi_addr;
  wanted.identity = module_identity(*module);
  return 1;
}

}  // namespace

std::string module_identity(const dl_phdr_info& module) {
  std::string identity;
  for (int i = 0; i < module.dlpi_phnum && identity.empty(); ++i) {
    const ElfW(Phdr)& segment = module.dlpi_phdr[i];
    if (segment.p_type == PT_NOTE)
      identity =
          build_id(reinterpret_cast<const unsigned char*>(module.dlpi_addr + segment.p_vaddr),
                   segment.p_memsz);
  }
  return identity.empty() ? code_digest(module) : identity;
}

std::string module_key(const void* address) {
  search wanted{reinterpret_cast<std::uintptr_t>(address), 0, {}};
  dl_iterate_phdr(&examine, &wanted);
  return fmt::format("{}+{:x}", wanted.identity, wanted.address - wanted.base);
}

}  // namespace am::detail::core
