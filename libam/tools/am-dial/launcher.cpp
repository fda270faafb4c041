#include <libam/tools/am-dial/launcher.hpp>

#include <libam/base/format.hpp>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace am::detail::dial {

namespace fs = std::filesystem;

namespace {

// The file that a shell would run; empty: none.
fs::path find_program(const std::string& word) {
  if (word.find('/') != std::string::npos) return word;
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  for (;;) {
    const std::size_t colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    const fs::path one = fs::path(folder.empty() ? "." : folder) / word;
    std::error_code error;
    if (fs::is_regular_file(one, error) && ::access(one.c_str(), X_OK) == 0) return one;
    if (colon == std::string_view::npos) return {};
    rest.remove_prefix(colon + 1);
  }
}

}  // namespace

std::string_view mpi_of_file(std::string_view name) noexcept {
  for (const char* part : {"openmpi", "orterun", "prterun"})
    if (name.find(part) != std::string_view::npos) return "openmpi";
  for (const char* part : {"mpich", "hydra"})
    if (name.find(part) != std::string_view::npos) return "mpich";
  return {};
}

std::string mpi_of_launcher(const std::string& word) {
  std::error_code error;
  const fs::path named = find_program(word);
  if (named.empty()) return {};
  const fs::path file = fs::canonical(named, error);
  if (error) return {};
  const std::string_view by_file = mpi_of_file(file.filename().native());
  return std::string(by_file.empty() ? mpi_of_file(named.filename().native()) : by_file);
}

std::string dial_library(std::string_view mpi, std::string& where) {
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  where.clear();
  for (const char* folder : {AM_BIN_TO_LIB, "../lib"}) {
    const fs::path one =
        (here / folder / "am" / base::format("dial-mpi-{}.so", mpi)).lexically_normal();
    if (where.empty()) where = one;
    if (fs::is_regular_file(one, error)) return one;
  }
  return {};
}

}  // namespace am::detail::dial
