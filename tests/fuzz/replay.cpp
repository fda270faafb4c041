// Runs one target over files that a fuzzer has found, in any build: replay TARGET FILE-OR-FOLDER…
// Exit: 0 if every promise was kept; otherwise the process ends where a promise was broken, and the
// last line names the file.
#include "../support/watchdog.hpp"
#include "target.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

constexpr unsigned seconds_for_one = 10;
char running[4096] = "";

void name_file(int signal) {
  const auto print = [](const char* text) { (void)!::write(2, text, std::strlen(text)); };
  print("while replaying ");
  print(running);
  print("\n");
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

std::vector<std::string> files_in(const char* path) {
  namespace fs = std::filesystem;
  if (!fs::exists(path)) return {};
  if (!fs::is_directory(path)) return {path};
  std::vector<std::string> found;
  for (const auto& each : fs::directory_iterator(path)) found.push_back(each.path().string());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::uint8_t> read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

int main(int argc, char** argv) {
  const auto* target = argc > 1 ? am_test::fuzz::find_target(argv[1]) : nullptr;
  if (target == nullptr) {
    std::fputs("usage: replay TARGET FILE-OR-FOLDER...; targets:", stderr);
    for (const auto& each : am_test::fuzz::all_targets()) std::fprintf(stderr, " %s", each.name);
    std::fputs("\n", stderr);
    return 2;
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) ::signal(signal, &name_file);
  std::size_t ran = 0;
  for (int i = 2; i < argc; ++i) {
    for (const std::string& path : files_in(argv[i])) {
      std::snprintf(running, sizeof running, "%s", path.c_str());
      am_test::feed_watchdog(seconds_for_one, running);
      target->run(read(path));
      ++ran;
    }
  }
  std::printf("%s: %zu inputs\n", target->name, ran);
  // A missing corpus proves nothing.
  return ran == 0 ? 1 : 0;
}
