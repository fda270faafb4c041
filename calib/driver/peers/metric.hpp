// What was measured of a layer: a probe, and the size of its messages or pieces.
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>

namespace calib {

struct metric {
  std::string probe;
  // Of bulk data "untouched" or "touched", which says whether the receiver reads it; of mediums
  // "oneway" or "bothways"; otherwise "".
  std::string form;
  std::size_t bytes = 0;  // of a message or a piece

  // In GB/s; otherwise in ns.
  [[nodiscard]] bool is_rate() const { return probe == "store" || probe == "get"; }

  auto operator<=>(const metric&) const = default;
};

// From and to the names that layer programs use: "rtt", "store/4096/touched", "medium/64/oneway".
metric parse_metric(std::string_view name);
std::string text_of(const metric& metric);

// 64 B, 4 KiB, 1 MiB.
std::string size_text(std::size_t bytes);

// The sizes of bulk data, from 4 KiB to 64 MiB.
constexpr std::size_t bulk_sizes[] = {
    std::size_t{1} << 12, std::size_t{1} << 14, std::size_t{1} << 16, std::size_t{1} << 18,
    std::size_t{1} << 20, std::size_t{1} << 22, std::size_t{1} << 24, std::size_t{1} << 26};

}  // namespace calib
