// Writes the traces of a job that never ran, with as many events as wanted:
//   trace-flood FOLDER RANKS EVENTS
// Each rank sends requests to the next one, of which some are always under way, and waits for each
// answer.
#include <libam/trace/record.hpp>

#include <am/types.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

using am::detail::trace::header;
using am::detail::trace::kind;
using am::detail::trace::name_of;
using am::detail::trace::record;

constexpr std::uint64_t step_ns = 1000;  // a tick is a nanosecond
constexpr std::uint64_t under_way = 50;  // steps
constexpr std::uint64_t events_of_step = 6;

class trace {
 public:
  trace(const std::string& path, am_rank rank, am_rank ranks, std::uint64_t length)
      : file_(std::fopen(path.c_str(), "we")) {
    if (file_ == nullptr) return;
    header head{};
    head.magic = am::detail::trace::magic;
    head.job = 42;
    head.rank = rank;
    head.ranks = ranks;
    head.ended = 1;
    head.last[0] = {length, length};
    std::string bytes(am::detail::trace::windows_end, '\0');
    std::memcpy(bytes.data(), &head, sizeof head);
    std::fwrite(bytes.data(), bytes.size(), 1, file_);
  }
  trace(const trace&) = delete;
  trace& operator=(const trace&) = delete;
  ~trace() {
    if (file_ != nullptr) std::fclose(file_);
  }
  // All records have left the windows.
  void end() {
    const long end = std::ftell(file_);
    const std::uint64_t left = static_cast<std::uint64_t>(end) - am::detail::trace::windows_end;
    std::fseek(file_, offsetof(header, left), SEEK_SET);
    std::fwrite(&left, sizeof left, 1, file_);
  }

  // Of at most 32 bytes.
  void name(name_of what, std::uint32_t number, std::string_view text) {
    char bytes[sizeof(record)]{};
    text.copy(bytes, sizeof bytes);
    add(kind::name, 0, 0, static_cast<std::uint32_t>(what), number,
        static_cast<std::uint32_t>(text.size()));
    std::fwrite(bytes, sizeof bytes, 1, file_);
  }
  void add(kind what, std::uint64_t begin, std::uint64_t length, std::uint32_t peer,
           std::uint32_t handler, std::uint32_t bytes, std::uint64_t sequence = 0) {
    const record one{begin, static_cast<std::uint64_t>(what) << record::kind_shift | length,
                     peer,  handler,
                     bytes, static_cast<std::uint32_t>(sequence)};
    std::fwrite(&one, sizeof one, 1, file_);
  }
  [[nodiscard]] bool is_good() const { return file_ != nullptr && std::ferror(file_) == 0; }

 private:
  std::FILE* file_;
};

bool write_rank(const std::string& folder, am_rank rank, am_rank ranks, std::uint64_t steps) {
  trace to(folder + "/rank-" + std::to_string(rank) + ".amtrace", rank, ranks, steps * step_ns);
  if (!to.is_good()) return false;
  to.name(name_of::handler, 0, "ask");
  to.name(name_of::handler, 1, "answer");
  to.name(name_of::call, 0, "wait");
  const am_rank before = (rank + ranks - 1) % ranks, next = (rank + 1) % ranks;
  for (std::uint64_t i = 0; i < steps; ++i) {
    const std::uint64_t at = i * step_ns;
    to.add(kind::request, at, 0, next, 0, 64, i);
    if (i < under_way) continue;
    to.add(kind::answer, at + 200, 10, before, 1, 8, i - under_way);
    to.add(kind::on_request, at + 100, 200, before, 0, 64, i - under_way);
    to.add(kind::poll, at + 100, 210, 0, 0, 1);
    to.add(kind::wait, at + 50, 270, 0, 0, 0);
    if (i >= 2 * under_way) to.add(kind::on_answer, at + 400, 100, next, 1, 8, i - 2 * under_way);
  }
  to.end();
  return to.is_good();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "trace-flood FOLDER RANKS EVENTS\n");
    return 2;
  }
  const auto ranks = static_cast<am_rank>(std::strtoul(argv[2], nullptr, 10));
  const std::uint64_t steps = std::strtoull(argv[3], nullptr, 10) / ranks / events_of_step;
  for (am_rank rank = 0; rank < ranks; ++rank)
    if (!write_rank(argv[1], rank, ranks, steps)) return 1;
  return 0;
}
