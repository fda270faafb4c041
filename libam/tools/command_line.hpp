// What the command lines of the tools have in common. Include it in the one file of a tool that
// knows CLI11.
#pragma once

#include <libam/base/format.hpp>
#include <libam/tools/messages.hpp>

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace am::detail::tools {

// Nothing: the line has been read. Otherwise the status with which the tool ends; `reject` reports
// bad usage and returns it.
template <class Reject>
std::optional<int> parse(CLI::App& app, int argc, char** argv, Reject&& reject) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& bad) {
    return reject(usage_line(bad.what()));
  }
  return std::nullopt;
}

// CLI11 returns all words from the first one that is no option of the tool. Drops a "--" in front
// of them, and rejects an option that is not known.
template <class Reject>
std::optional<int> begin_words(std::vector<std::string>& words, Reject&& reject) {
  if (!words.empty() && words.front() == "--")
    words.erase(words.begin());
  else if (!words.empty() && words.front().starts_with('-') && words.front().size() > 1)
    return reject(base::format("there is no option {}", words.front()));
  return std::nullopt;
}

}  // namespace am::detail::tools
