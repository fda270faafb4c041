#include <libam/tools/am-trace/text_file.hpp>

#include <libam/base/error.hpp>

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cmath>
#include <stdexcept>

namespace am::detail::traces {

text_file::text_file(const std::string& path)
    : path_(path), file_(path == "-" ? stdout : std::fopen(path.c_str(), "we")) {
  if (file_ == nullptr) fail();
  buffer_.reserve(2 * piece);
}

text_file::~text_file() {
  if (file_ != nullptr && file_ != stdout) (void)std::fclose(file_);
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
  using json = nlohmann::json;
  // A name that was cut may end within a character.
  const std::string quoted = json(text).dump(-1, ' ', false, json::error_handler_t::replace);
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace am::detail::traces
