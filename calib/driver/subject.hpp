// What a figure is about: a probe, and for bulk data the size of a piece and the form.
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>

namespace calib {

struct subject {
  std::string probe;
  // Of bulk data "untouched" or "touched": whether the reader looks; of mediums "oneway" or
  // "bothways"; "": neither.
  std::string form;
  std::size_t bytes = 0;  // of a message or a piece

  // GB/s; otherwise ns.
  [[nodiscard]] bool is_rate() const { return probe == "store" || probe == "get"; }

  auto operator<=>(const subject&) const = default;
};

// As layer programs say it: "rtt", "store/4096/touched", "medium/64/oneway".
subject subject_of(std::string_view said);
std::string text_of(const subject& about);

// 64 B, 4 KiB, 1 MiB.
std::string size_text(std::size_t bytes);

// The sizes of bulk data, from 4 KiB to 64 MiB.
constexpr std::size_t bulk_sizes[] = {
    std::size_t{1} << 12, std::size_t{1} << 14, std::size_t{1} << 16, std::size_t{1} << 18,
    std::size_t{1} << 20, std::size_t{1} << 22, std::size_t{1} << 24, std::size_t{1} << 26};

}  // namespace calib
