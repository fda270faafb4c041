#include <libam/tools/am-run/ranks/program.hpp>

#include <libam/base/fd.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace am::detail::run {
namespace {

constexpr int not_found = 127;
constexpr int not_executable = 126;

// 0, or the errno of exec.
int try_to_run(const std::string& path) {
  struct stat what {};
  if (::stat(path.c_str(), &what) != 0) return errno;
  if (S_ISDIR(what.st_mode)) return EISDIR;
  if (!S_ISREG(what.st_mode)) return EACCES;
  return ::access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

program classify(const std::string& path, int error) {
  if (error == 0) return {path, "", 0};
  const bool missing = error == ENOENT || error == ENOTDIR;
  return {path, std::strerror(error), missing ? not_found : not_executable};
}

}  // namespace

program find_program(const std::string& name, const char* folders) {
  if (name.find('/') != std::string::npos) return classify(name, try_to_run(name));
  if (folders == nullptr) folders = std::getenv("PATH");
  std::istringstream list(folders != nullptr ? folders : "/bin:/usr/bin");
  int worst = ENOENT;
  for (std::string folder; std::getline(list, folder, ':');) {
    const std::string path = (folder.empty() ? "." : folder) + "/" + name;
    const int error = try_to_run(path);
    if (error == 0) return {path, "", 0};
    if (error == EACCES) worst = EACCES;
  }
  return classify(name, worst);
}

program could_not_run(const std::string& path, int error) {
  if (error == ENOENT && ::access(path.c_str(), F_OK) == 0)
    return {path, "the interpreter named in its first line does not exist", not_executable};
  if (error == ENOEXEC)
    return {path, "Exec format error: a program for another machine?", not_executable};
  return classify(path, error);
}

bool is_text(const std::string& path) {
  std::array<char, 80> begin;
  const base::fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const ssize_t count = ::read(file.get(), begin.data(), begin.size());
  return count >= 0 &&
         std::find(begin.begin(), begin.begin() + count, '\0') == begin.begin() + count;
}

}  // namespace am::detail::run
