// A control group of this machine, where one may be made: as root with the folders mounted to
// write.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace am::test {

class real_group {
 public:
  // Below the root of the controller, with one file that limits it, by version 1 and 2.
  real_group(const std::string& controller, const std::string& file_1, const std::string& text_1,
             const std::string& file_2, const std::string& text_2) {
    const std::string name = "/am-test-" + std::to_string(::getpid());
    const std::string mounts = "/sys/fs/cgroup";
    made_ = make(mounts + "/" + controller + name, file_1, text_1) ||
            make(mounts + name, file_2, text_2);
  }
  ~real_group() {
    // Whoever was in it may take a moment to be gone.
    for (int tries = 0; made_ && ::rmdir(folder_.c_str()) != 0 && tries < 100; ++tries)
      ::usleep(10000);
  }
  real_group(const real_group&) = delete;
  real_group& operator=(const real_group&) = delete;

  [[nodiscard]] bool made() const noexcept { return made_; }
  // The calling process is in it from now on.
  [[nodiscard]] bool enter() const {
    return bool(std::ofstream(folder_ + "/cgroup.procs") << ::getpid() << std::flush);
  }

 private:
  bool make(const std::string& folder, const std::string& file, const std::string& text) {
    folder_ = folder;
    if (::mkdir(folder.c_str(), 0755) != 0) return false;
    // A mere folder, in which no such file has come up, is none.
    if (std::filesystem::exists(folder + "/" + file) && std::ofstream(folder + "/" + file)
                                                            << text << std::flush)
      return true;
    ::rmdir(folder.c_str());
    return false;
  }

  std::string folder_;
  bool made_ = false;
};

}  // namespace am::test
