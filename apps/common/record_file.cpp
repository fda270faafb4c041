#include "record_file.hpp"

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

namespace apps::nowsort {
namespace {

std::string reason() { return std::generic_category().message(errno); }

[[noreturn]] void fail(const std::string& line) { throw std::runtime_error(line); }

std::string part_of_all(std::size_t part, std::size_t all) {
  return std::to_string(part) + " of " + std::to_string(all) + " bytes";
}

std::string temporary_folder() {
  std::error_code why;
  const std::string folder = std::filesystem::temp_directory_path(why);
  if (why) fail("TMPDIR names no folder: " + why.message());
  return folder;
}

// A disk without room for the files of this rank ends the program before it has written for long.
void check_room(std::size_t bytes) {
  const std::string folder = temporary_folder();
  const auto free = std::filesystem::space(folder).available;
  if (free < bytes)
    fail("the files of a rank take " + std::to_string(bytes) + " bytes, but " + folder + " has " +
         std::to_string(free) + " free");
}

}  // namespace

record_file::record_file() : folder_(temporary_folder()) {
  std::string path = folder_ + "/am-nowsort-XXXXXX";
  descriptor_ = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail("cannot make a file in " + folder_ + ": " + reason());
  ::unlink(path.c_str());
}

record_file::~record_file() { ::close(descriptor_); }

void record_file::append(std::span<const record> records) {
  const auto bytes = std::as_bytes(records);
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::pwrite(descriptor_, bytes.data() + done, bytes.size() - done,
                               static_cast<off_t>(written_));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      fail("only " + part_of_all(done, bytes.size()) + " could be written to a file in " + folder_ +
           ": " + reason());
    done += static_cast<std::size_t>(n);
    written_ += static_cast<std::size_t>(n);
  }
}

std::span<record> record_file::read(std::span<record> room) {
  const std::size_t count = std::min(room.size(), (written_ - read_) / sizeof(record));
  const auto bytes = std::as_writable_bytes(room.first(count));
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n =
        ::pread(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(read_));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      fail("only " + part_of_all(done, bytes.size()) + " could be read from a file in " + folder_ +
           ": " + (n < 0 ? reason() : "it is shorter"));
    done += static_cast<std::size_t>(n);
    read_ += static_cast<std::size_t>(n);
  }
  return room.first(count);
}

rank_files::rank_files(std::uint64_t seed, std::size_t first, std::size_t records) {
  check_room(2 * records * sizeof(record));
  std::vector<record> chunk;
  for (std::size_t i = 0; i < records; ++i) {
    chunk.push_back(record_at(seed, first + i));
    if (chunk.size() == records_at_once || i + 1 == records) {
      made_.add(chunk);
      input.append(chunk);
      chunk.clear();
    }
  }
}

summaries rank_files::summarize() {
  summary written;
  std::vector<record> chunk(records_at_once);
  for (auto next = output.read(chunk); !next.empty(); next = output.read(chunk)) written.add(next);
  return {made_, written};
}

}  // namespace apps::nowsort
