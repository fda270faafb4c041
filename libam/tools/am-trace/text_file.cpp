#include <libam/tools/am-trace/text_file.hpp>

#include <libam/base/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <stdexcept>

namespace am::detail::traces {

namespace {

// Then it is the same there.
bool is_plain_in_json(std::string_view text) noexcept {
  return std::ranges::all_of(
      text, [](char one) { return one >= ' ' && one <= '~' && one != '"' && one != '\\'; });
}

}  // namespace

text_file::text_file(const std::string& path)
    : path_(path), file_(path == "-" ? stdout : std::fopen(path.c_str(), "we")) {
  if (file_ == nullptr) fail();
  buffer_.reserve(2 * piece);
}

text_file::~text_file() {
  if (file_ != nullptr && file_ != stdout) (void)std::fclose(file_);
}

std::int64_t nearest(double value) noexcept {
  constexpr double most = 4e18;
  return std::llround(std::clamp(value, -most, most));
}

void text_file::append(const fixed& number) {
  constexpr std::uint64_t power[] = {1, 10, 100, 1000};
  const auto bits = static_cast<std::uint64_t>(number.value);
  const std::uint64_t size = number.value < 0 ? 0 - bits : bits;
  if (number.value < 0) append('-');
  append(size / power[number.digits]);
  append('.');
  const std::uint64_t behind = size % power[number.digits];
  for (unsigned digit = number.digits; digit-- != 0;)
    append(static_cast<char>('0' + behind / power[digit] % 10));
}

void text_file::flush() {
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) fail();
  buffer_.clear();
}

void text_file::close() {
  flush();
  if (std::fflush(file_) != 0) fail();
  std::FILE* const file = std::exchange(file_, nullptr);
  if (file != stdout && std::fclose(file) != 0) fail();
}

void text_file::fail() const {
  throw std::runtime_error(
      base::format("{}: {}", path_ == "-" ? "standard output" : path_, base::errno_text(errno)));
}

std::string time_text(double ns) {
  if (std::abs(ns) < 1e3) return base::format("{:.0f} ns", ns);
  if (std::abs(ns) < 1e6) return base::format("{:.2f} us", ns / 1e3);
  if (std::abs(ns) < 1e9) return base::format("{:.2f} ms", ns / 1e6);
  return base::format("{:.3f} s", ns / 1e9);
}

std::string json_text(std::string_view text) {
  if (is_plain_in_json(text)) return std::string(text);
  using json = nlohmann::json;
  // A name that was cut may end within a character.
  const std::string quoted = json(text).dump(-1, ' ', false, json::error_handler_t::replace);
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace am::detail::traces
