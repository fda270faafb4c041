// Traces made by hand, in a folder of their own.
#pragma once

#include <libam/trace/writer.hpp>

#include <doctest/doctest.h>

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace trace_test {

using am::detail::trace::kind;
using am::detail::trace::writer;

class folder {
 public:
  folder() {
    std::string name = (std::filesystem::temp_directory_path() / "libam-trace-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  ~folder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string path() const { return path_.string(); }
  // The first file that this process made for a rank.
  [[nodiscard]] std::string of_rank(unsigned rank) const {
    return (path_ /
            ("rank-" + std::to_string(rank) + "." + std::to_string(::getpid()) + ".amtrace"))
        .string();
  }
  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline constexpr std::uint64_t room = 1U << 24U;

inline void begin(writer& to, const folder& in, am_rank rank, am_rank ranks,
                  std::uint64_t most = room) {
  REQUIRE(to.open(in.path(), {rank, ranks, 7}, most) == AM_OK);
  to.set_job(42);
}
// Long enough for the rate of the ticks to be known.
inline void end(writer& to) {
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  to.close();
}

inline std::string text_of_file(const std::string& path) {
  std::ifstream from(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(from), {}};
}
inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace trace_test
