#include <calib/driver/output/document.hpp>

#include <calib/driver/output/messages.hpp>
#include <calib/format.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

namespace calib {
namespace {

// A long measurement writes a tenth of it.
constexpr std::size_t most_bytes = 64U << 20U;
// Ours have a tenth of it. A document is copied and freed by calls of as many levels.
constexpr int most_levels = 100;

bool is_shallow(int level, json::parse_event_t, json&) {
  if (level >= most_levels)
    throw std::length_error(
        format("it has more than {} levels, which no measurement writes", most_levels));
  return true;
}

// The parser says which number no double holds: "... number overflow parsing '1e400'".
std::string too_large(const std::string& what) {
  const std::size_t from = what.find('\'') + 1;  // 0: it is written otherwise
  const std::size_t to = what.find('\'', from);
  const std::string number = from == 0 ? "" : ' ' + shortened(what.substr(from, to - from));
  return format("it has the number{}, of at most 1e15", number);
}

}  // namespace

void parse_document(const std::string& text, std::string& problem,
                    const std::function<void(const json_field& whole)>& read) {
  problem.clear();
  try {
    const json whole = json::parse(text, &is_shallow);
    read(json_field(whole, problem));
  } catch (const json::parse_error& error) {
    problem = format("no JSON at byte {} of {}", error.byte, text.size());
  } catch (const json::out_of_range& error) {
    problem = too_large(error.what());
  } catch (const std::bad_alloc&) {
    problem = "there is not enough memory for what it describes";
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
