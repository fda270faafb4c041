// A folder that stands for the root of a machine, with the files in which it tells of itself.
#pragma once

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace am::test {

class machine {
 public:
  machine() {
    char name[] = "/tmp/machine-of-am-XXXXXX";
    REQUIRE(::mkdtemp(name) != nullptr);
    root_ = name;
  }
  ~machine() { std::filesystem::remove_all(root_); }
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  machine& with(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << '\n';
    return *this;
  }
  [[nodiscard]] const std::string& root() const noexcept { return root_; }

 private:
  std::string root_;
};

}  // namespace am::test
