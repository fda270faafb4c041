#include <calib/driver/subject.hpp>

#include <charconv>

namespace calib {

subject subject_of(std::string_view said) {
  const std::size_t first = said.find('/');
  const std::size_t second = said.find('/', first + 1);
  if (first == said.npos || second == said.npos)
    return {std::string(said), "", said == "idle_poll" ? std::size_t{0} : std::size_t{32}};
  subject out{std::string(said.substr(0, first)), std::string(said.substr(second + 1)), 0};
  std::from_chars(said.data() + first + 1, said.data() + second, out.bytes);
  return out;
}

std::string text_of(const subject& about) {
  if (about.form.empty()) return about.probe;
  return about.probe + '/' + std::to_string(about.bytes) + '/' + about.form;
}

std::string size_text(std::size_t bytes) {
  if (bytes >= std::size_t{1} << 20) return std::to_string(bytes >> 20) + " MiB";
  if (bytes >= std::size_t{1} << 10) return std::to_string(bytes >> 10) + " KiB";
  return std::to_string(bytes) + " B";
}

}  // namespace calib
