// The notes of a loaded ELF file: the id of its build, and the offsets of data in it.
#pragma once

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

namespace am::detail::base {

using note_bytes = std::span<const unsigned char>;

// The content of the note of that name and kind in one PT_NOTE segment; empty if there is none.
inline note_bytes find_note(note_bytes segment, std::string_view name, unsigned kind) noexcept {
  const auto padded = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
  while (segment.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, segment.data(), sizeof note);
    const std::size_t content = sizeof note + padded(note.n_namesz);
    const std::size_t next = content + padded(note.n_descsz);
    if (next > segment.size()) break;
    // n_namesz counts the zero behind the name.
    if (note.n_type == kind && note.n_namesz == name.size() + 1 &&
        std::memcmp(segment.data() + sizeof note, name.data(), name.size()) == 0)
      return segment.subspan(content, note.n_descsz);
    segment = segment.subspan(next);
  }
  return {};
}

}  // namespace am::detail::base
