#include <calib/driver/output/document.hpp>

#include <calib/driver/output/messages.hpp>
#include <calib/format.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

namespace calib {
namespace {

// A long measurement writes a tenth of it.
constexpr std::size_t most_bytes = 64U << 20U;

}  // namespace

void parse_document(const std::string& text, std::string& problem,
                    const std::function<void(const json_field& whole)>& read) {
  problem.clear();
  try {
    const json whole = json::parse(text);
    read(json_field(whole, problem));
  } catch (const json::parse_error& error) {
    problem = format("no JSON at byte {} of {}", error.byte, text.size());
  } catch (const std::exception& error) {
    problem = error.what();
  }
}

void say_unreadable(const std::string& file, const std::string& problem) {
  say(format("cannot read '{}': {}", file, problem));
}

std::optional<std::string> read_text(const std::string& file, std::string& problem) {
  problem.clear();
  const int from = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (from < 0) {
    problem = std::strerror(errno);
    return std::nullopt;
  }
  std::string out;
  std::vector<char> some(1U << 16U);
  ssize_t got = 0;
  while (out.size() <= most_bytes && (got = ::read(from, some.data(), some.size())) > 0)
    out.append(some.data(), static_cast<std::size_t>(got));
  if (got < 0)
    problem = std::strerror(errno);
  else if (out.size() > most_bytes)
    problem = format("more than {} MiB, which no measurement writes", most_bytes >> 20U);
  ::close(from);
  return problem.empty() ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace calib
