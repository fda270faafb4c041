#include <calib/driver/measure/progress.hpp>

#include <calib/driver/output/messages.hpp>
#include <calib/format.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace calib {
namespace {

constexpr unsigned bar_width = 24;

// In the first round it is estimated.
std::string time_left(double seconds, unsigned round) {
  if (seconds < 0) return {};
  const char* const how = round < 2 ? "about" : "at most";
  if (seconds < 90) return format(", {} {:.0f} s left", how, seconds);
  return format(", {} {:.0f} min left", how, seconds / 60);
}

std::size_t columns() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

progress::progress() : on_(::isatty(STDERR_FILENO) == 1), colour_(may_colour(STDERR_FILENO)) {}

progress::~progress() { clear(); }

void progress::show(const progress_event& now) {
  if (!on_) return;
  const unsigned full = std::min(static_cast<unsigned>(now.done * bar_width), bar_width);
  const std::string where =
      now.round == 0 ? "trying variants" : format("round {} of at most {}", now.round, now.rounds);
  const std::string what = now.probe.empty() ? "starts" : now.probe;
  std::string text = format(" {}: {} {}{}", where, now.name, what, time_left(now.left, now.round));
  const std::string bar = std::string(full, '#') + std::string(bar_width - full, '.');
  text.resize(std::min(text.size(), columns() - std::min<std::size_t>(columns(), bar_width + 3)));
  std::fputs(
      format("\r{}[{}]{}{}\x1b[K", colour_ ? "\x1b[36m" : "", bar, colour_ ? "\x1b[0m" : "", text)
          .c_str(),
      stderr);
  std::fflush(stderr);
}

void progress::clear() {
  if (on_) std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace calib
