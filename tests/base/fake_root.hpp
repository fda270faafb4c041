// A folder that replaces a machine's root folder, with the files that describe the machine.
#pragma once

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace am_test {

class fake_root {
 public:
  fake_root() {
    char name[] = "/tmp/machine-of-am-XXXXXX";
    REQUIRE(::mkdtemp(name) != nullptr);
    root_ = name;
  }
  ~fake_root() { std::filesystem::remove_all(root_); }
  fake_root(const fake_root&) = delete;
  fake_root& operator=(const fake_root&) = delete;

  fake_root& with(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << '\n';
    return *this;
  }
  [[nodiscard]] const std::string& root() const noexcept { return root_; }

 private:
  std::string root_;
};

}  // namespace am_test
