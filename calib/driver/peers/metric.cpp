#include <calib/driver/peers/metric.hpp>

#include <charconv>

namespace calib {

metric parse_metric(std::string_view name) {
  const std::size_t first = name.find('/');
  const std::size_t second = name.find('/', first + 1);
  if (first == name.npos || second == name.npos)
    return {std::string(name), "", name == "idle_poll" ? std::size_t{0} : std::size_t{32}};
  metric out{std::string(name.substr(0, first)), std::string(name.substr(second + 1)), 0};
  std::from_chars(name.data() + first + 1, name.data() + second, out.bytes);
  return out;
}

std::string text_of(const metric& metric) {
  if (metric.form.empty()) return metric.probe;
  return metric.probe + '/' + std::to_string(metric.bytes) + '/' + metric.form;
}

std::string size_text(std::size_t bytes) {
  if (bytes >= std::size_t{1} << 20) return std::to_string(bytes >> 20) + " MiB";
  if (bytes >= std::size_t{1} << 10) return std::to_string(bytes >> 10) + " KiB";
  return std::to_string(bytes) + " B";
}

}  // namespace calib
