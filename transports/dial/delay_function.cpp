#include <transports/dial/delay_function.hpp>

#include <libam/base/dials.hpp>
#include <libam/base/library_start_guard.hpp>
#include <libam/base/text.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <fstream>

namespace am::detail::dial {

namespace {

constexpr double longest = 10e9;  // ns

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// False: it is no pair of bytes and a time.
bool read_point(std::string_view line, std::pair<double, double>& out) {
  const std::size_t gap = line.find_first_of(" \t");
  std::uint64_t bytes = 0;
  if (gap == line.npos || !base::read_number(line.substr(0, gap), bytes)) return false;
  out.first = static_cast<double>(bytes);
  return base::read_time(trimmed(line.substr(gap)), out.second);
}

}  // namespace

bool delay_table::read(const std::string& file, std::string& why) {
  std::ifstream in(file);
  std::string line;
  for (unsigned number = 1; std::getline(in, line); ++number) {
    const std::string_view text = trimmed(std::string_view(line).substr(0, line.find('#')));
    if (text.empty()) continue;
    std::pair<double, double> point;
    if (!read_point(text, point) || (!points_.empty() && point.first <= points_.back().first)) {
      why = base::format("line {}, '{}', is no BYTES TIME with more bytes than the line before",
                         number, base::abbreviate(text));
      return false;
    }
    points_.push_back(point);
  }
  if (points_.empty()) why = in.eof() ? "it has no line" : "it cannot be read";
  return !points_.empty();
}

double delay_table::ns(std::size_t bytes) const noexcept {
  const double at = static_cast<double>(bytes);
  const auto above = std::ranges::lower_bound(points_, at, {}, &std::pair<double, double>::first);
  if (above == points_.end()) return points_.back().second;
  if (above == points_.begin() || above->first == at) return above->second;
  const auto& [x, y] = *std::prev(above);
  return y + (above->second - y) * (at - x) / (above->first - x);
}

delay_function::delay_function(const spinner& clock, am_rank rank, am_rank ranks, direction which)
    : clock_(clock), rank_(rank), ranks_(ranks), which_(which) {}

am_status delay_function::load(const char* dial, const std::string& file) {
  if (file.empty()) return AM_OK;
  std::string why;
  if (file.ends_with(".so")) {
    const base::library_start_guard start_guard;
    // Without a slash it would be looked for among the libraries of the system.
    const std::string path = file.find('/') == file.npos ? "./" + file : file;
    void* const object = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const entry = object == nullptr ? nullptr : ::dlsym(object, "am_dial");
    if (entry == nullptr) {
      const char* const problem = ::dlerror();
      why = problem != nullptr ? problem : "its am_dial is null";
    }
    function_ = reinterpret_cast<decltype(function_)>(reinterpret_cast<std::uintptr_t>(entry));
  } else {
    (void)table_.read(file, why);
  }
  if (!why.empty()) return base::fail(AM_ARGUMENT_SETTING, "AM_DIAL: {}=+@{}: {}", dial, file, why);
  pairs_.resize(ranks_);
  return AM_OK;
}

ticks delay_function::delay_of(am_rank peer, std::size_t bytes, ticks now) noexcept {
  if (function_ == nullptr) return clock_.of_ns(table_.ns(bytes));
  pair& of = pairs_[peer];
  // Of a get over shared memory the time lies ahead, and a message behind it may come before.
  const auto ns = std::max(static_cast<std::int64_t>(clock_.ns(now)), of.last);
  const bool sends = which_ == direction::to_peer;
  const am_dial_message message{bytes,
                                of.number,
                                ns,
                                of.number == 0 ? -1 : ns - of.last,
                                sends ? rank_ : peer,
                                sends ? peer : rank_,
                                of.state.data()};
  ++of.number;
  of.last = ns;
  return clock_.of_ns(std::clamp(static_cast<double>(function_(&message)), 0.0, longest));
}

}  // namespace am::detail::dial
