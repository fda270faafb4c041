#include <libam/tools/am-info/process_memory.hpp>

#include <libam/base/elf_notes.hpp>
#include <libam/base/format.hpp>
#include <libam/base/text.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace am::detail::info {

namespace {

constexpr std::size_t most_notes = std::size_t{64} * 1024;
constexpr std::size_t longest_text = 256;

}  // namespace

bool process_memory::open(pid_t pid, std::string& why) {
  pid_ = pid;
  memory_ = base::fd(::open(base::format("/proc/{}/mem", pid).c_str(), O_RDONLY | O_CLOEXEC));
  if (memory_.valid()) return true;
  if (errno == ENOENT) {
    why = base::format("there is no process {}", pid);
  } else {
    const char* const cause = std::strerror(errno);
    std::ifstream scope("/proc/sys/kernel/yama/ptrace_scope");
    std::string level = "0";
    scope >> level;
    why = base::format("process {} cannot be read: {}: run am-info as {}", pid, cause,
                       level == "0" ? "its user, or as root"
                                    : "root, because kernel.yama.ptrace_scope is " + level);
  }
  return false;
}

bool process_memory::read(const void* there, void* here, std::size_t bytes) const noexcept {
  const auto at = static_cast<off_t>(reinterpret_cast<std::uintptr_t>(there));
  return ::pread(memory_.get(), here, bytes, at) == static_cast<ssize_t>(bytes);
}

// Ends at the end of mapped memory, at the latest. The text may go to a terminal.
std::string process_memory::read_text(const char* there) const {
  std::string text;
  auto at = reinterpret_cast<std::uintptr_t>(there);
  char next = 0;
  while (text.size() < longest_text && read(reinterpret_cast<const char*>(at++), next) && next != 0)
    text += next;
  base::make_one_line(text);
  return text;
}

// Every mapped file begins with its header, which locates the notes. The file on disk is not read,
// because it may have been replaced meanwhile.
const unsigned char* process_memory::find_note(std::string_view name, unsigned kind) const {
  std::ifstream maps(base::format("/proc/{}/maps", pid_));
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t start = 0;
    std::uint64_t offset = 0;
    char rights[8] = {};
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%*x %7s %" SCNx64, &start, rights, &offset) != 3 ||
        offset != 0 || rights[0] != 'r')
      continue;
    if (const unsigned char* found = note_of_file_at(start, name, kind)) return found;
  }
  return nullptr;
}

const unsigned char* process_memory::note_of_file_at(std::uintptr_t start, std::string_view name,
                                                     unsigned kind) const {
  ElfW(Ehdr) header;
  if (!read(reinterpret_cast<const ElfW(Ehdr)*>(start), header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(ElfW(Phdr)))
    return nullptr;
  const std::uintptr_t base = header.e_type == ET_DYN ? start : 0;
  for (const ElfW(Phdr) & segment :
       read_all(reinterpret_cast<const ElfW(Phdr)*>(start + header.e_phoff), header.e_phnum)) {
    if (segment.p_type != PT_NOTE || segment.p_memsz > most_notes) continue;
    const auto* there = reinterpret_cast<const unsigned char*>(base + segment.p_vaddr);
    const std::vector<unsigned char> notes = read_all(there, segment.p_memsz);
    const base::note_bytes found = base::find_note(notes, name, kind);
    if (!found.empty()) return there + (found.data() - notes.data());
  }
  return nullptr;
}

}  // namespace am::detail::info
