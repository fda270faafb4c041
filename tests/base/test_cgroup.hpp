// A real control group, where one may be made: as root with writable cgroup folders.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace am_test {

class test_cgroup {
 public:
  // Below the root of the controller, with one limit; by version 1 and 2.
  test_cgroup(const std::string& controller, const std::string& file_1, const std::string& text_1,
              const std::string& file_2, const std::string& text_2) {
    const std::string name = "/am-test-" + std::to_string(::getpid());
    const std::string mounts = "/sys/fs/cgroup";
    made_ = make(mounts + "/" + controller + name, file_1, text_1) ||
            make(mounts + name, file_2, text_2);
  }
  ~test_cgroup() {
    // Its processes may take a moment to exit.
    for (int tries = 0; made_ && ::rmdir(folder_.c_str()) != 0 && tries < 100; ++tries)
      ::usleep(10000);
  }
  test_cgroup(const test_cgroup&) = delete;
  test_cgroup& operator=(const test_cgroup&) = delete;

  [[nodiscard]] bool made() const noexcept { return made_; }
  // Moves the calling process into the group.
  [[nodiscard]] bool enter() const {
    return bool(std::ofstream(folder_ + "/cgroup.procs") << ::getpid() << std::flush);
  }

 private:
  bool make(const std::string& folder, const std::string& file, const std::string& text) {
    folder_ = folder;
    if (::mkdir(folder.c_str(), 0755) != 0) return false;
    // A plain folder, where the kernel made no such file, is no group.
    if (std::filesystem::exists(folder + "/" + file) && std::ofstream(folder + "/" + file)
                                                            << text << std::flush)
      return true;
    ::rmdir(folder.c_str());
    return false;
  }

  std::string folder_;
  bool made_ = false;
};

}  // namespace am_test
