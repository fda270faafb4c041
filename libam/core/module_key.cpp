#include <libam/core/module_key.hpp>

#include <libam/base/elf_notes.hpp>
#include <libam/base/format.hpp>
#include <libam/base/hash.hpp>

#include <cstdint>
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

std::string hexadecimal(base::note_bytes bytes) {
  std::string text;
  for (const unsigned char byte : bytes) text += base::format("{:02x}", byte);
  return text;
}

// A file without a build-id is identified by its code, which the loader does not change.
std::string code_digest(const dl_phdr_info& module) {
  std::uint64_t hash = base::empty_hash;
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const auto* bytes = reinterpret_cast<const char*>(module.dlpi_addr + segment.p_vaddr);
    hash = base::hash_of({bytes, segment.p_memsz}, hash);
  }
  return base::format("code-{:016x}", hash);
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
    if (segment.p_type != PT_NOTE) continue;
    const auto* notes = reinterpret_cast<const unsigned char*>(module.dlpi_addr + segment.p_vaddr);
    identity = hexadecimal(base::find_note({notes, segment.p_memsz}, "GNU", NT_GNU_BUILD_ID));
  }
  return identity.empty() ? code_digest(module) : identity;
}

std::string module_key(const void* address) {
  search wanted{reinterpret_cast<std::uintptr_t>(address), 0, {}};
  dl_iterate_phdr(&examine, &wanted);
  return base::format("{}+{:x}", wanted.identity, wanted.address - wanted.base);
}

}  // namespace am::detail::core
