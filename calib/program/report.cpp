#include <calib/program/report.hpp>

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace calib::report {
namespace {

void numbers(const char* verb, std::string_view probe, std::string_view variant,
             std::span<const double> all) {
  std::string text = std::string(verb) + ' ' + std::string(probe) + ' ' + std::string(variant);
  for (const double one : all) {
    char number[40];
    std::snprintf(number, sizeof number, " %.3f", one);
    text += number;
  }
  line(text);
}

}  // namespace

void line(const std::string& text) {
  const std::string whole = text + '\n';
  for (std::size_t done = 0; done < whole.size();) {
    const ssize_t wrote = ::write(STDOUT_FILENO, whole.data() + done, whole.size() - done);
    if (wrote <= 0) std::_Exit(1);
    done += static_cast<std::size_t>(wrote);
  }
}

void cpu(int rank, int number) {
  line("cpu " + std::to_string(rank) + ' ' + std::to_string(number));
}

void note(std::string_view key, std::string_view text) {
  line("note " + std::string(key) + ' ' + std::string(text));
}

void begin(std::string_view probe, std::string_view variant) {
  line("begin " + std::string(probe) + ' ' + std::string(variant));
}

void values(std::string_view probe, std::string_view variant, std::span<const double> samples) {
  numbers("values", probe, variant, samples);
}

void lines(std::string_view probe, std::string_view variant, std::span<const double> times) {
  numbers("lines", probe, variant, times);
}

void paces(std::string_view probe, std::string_view variant, std::span<const double> times) {
  numbers("paces", probe, variant, times);
}

void fault(std::string_view text) {
  line("fault " + std::string(text));
  std::_Exit(1);
}

void system_fault(const char* what) { fault(std::string(what) + ": " + std::strerror(errno)); }

void done() { line("done"); }

}  // namespace calib::report
