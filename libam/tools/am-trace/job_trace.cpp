#include <libam/tools/am-trace/job_trace.hpp>

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>
#include <utility>

namespace am::detail::traces {
namespace {

using trace::kind;
using trace::name_of;

std::vector<trace_file> read_files(const std::string& folder, std::vector<std::string>& remarks) {
  std::error_code why;
  std::vector<trace_file> out;
  for (const auto& one : std::filesystem::directory_iterator(folder, why)) {
    if (one.path().extension() != ".amtrace") continue;
    try {
      out.emplace_back(one.path().string());
    } catch (const std::runtime_error& bad) {
      remarks.emplace_back(bad.what());
    }
  }
  if (why) throw std::runtime_error(base::format("{}: {}", folder, why.message()));
  return out;
}

bool ends_later(const event& a, const event& b) noexcept { return a.end > b.end; }

}  // namespace

std::string_view text_of(kind one) noexcept {
  constexpr std::string_view names[trace::kinds] = {
      "",          "name",       "request", "notice", "answer",  "on_request", "on_notice",
      "on_answer", "on_end",     "get",     "wait",   "sleep",   "poll",       "span",
      "pause",     "collective", "carried", "clock",  "computed"};
  return names[static_cast<unsigned>(one)];
}

std::string_view subject_of(const event& one) {
  switch (one.type()) {
    case kind::wait: return one.of->name(name_of::call, one.what->handler);
    case kind::collective: return one.of->name(name_of::collective, one.what->handler);
    case kind::span: return one.of->name(name_of::span, one.what->handler);
    case kind::request:
    case kind::notice:
    case kind::answer:
    case kind::on_request:
    case kind::on_notice:
    case kind::on_answer:
    case kind::carried:
    case kind::on_end: return one.of->name(name_of::handler, one.what->handler);
    default: return {};
  }
}

job_trace::job_trace(const std::string& folder) : folder_(folder) {
  keep_one_job(read_files(folder, remarks_));
  clock_.learn(files_, folder_);
}

// Of several jobs the one with the most files, and of those the youngest: a rank of a traced job
// may have started others.
void job_trace::keep_one_job(std::vector<trace_file> found) {
  if (found.empty())
    throw std::runtime_error(
        base::format("{} has no trace: run the program with AM_TRACE={}", folder_, folder_));
  using key = std::pair<std::uint64_t, std::uint32_t>;  // its number, and how many ranks it had
  const auto key_of = [](const trace_file& one) { return key{one.head().job, one.head().ranks}; };
  std::map<key, std::pair<std::size_t, std::uint64_t>> jobs;  // how many files, and the youngest
  for (const trace_file& one : found) {
    auto& [files, age] = jobs[key_of(one)];
    ++files;
    age = std::max(age, one.head().wall_ns);
  }
  const auto by_size = [](const auto& a, const auto& b) { return a.second < b.second; };
  const key chosen = std::ranges::max_element(jobs, by_size)->first;
  ranks_ = chosen.second;
  std::vector<bool> has(ranks_);
  std::size_t others = 0;
  for (trace_file& one : found) {
    if (key_of(one) == chosen && !has[one.head().rank]) {
      has[one.head().rank] = true;
      files_.push_back(std::move(one));
    } else {
      ++others;
    }
  }
  std::ranges::sort(files_, std::less(), [](const trace_file& one) { return one.head().rank; });
  add_remarks(others);
}

void job_trace::add_remarks(std::size_t others) {
  if (others != 0)
    remarks_.push_back(base::format("{} files in {} are of another job", others, folder_));
  if (files_.size() < ranks_)
    remarks_.push_back(base::format("{} of {} ranks have a trace", files_.size(), ranks_));
  for (const trace_file& one : files_) {
    const trace::header& head = one.head();
    if (head.ended == 0)
      remarks_.push_back(
          base::format("rank {} did not leave: its trace ends where it was cut off", head.rank));
    if (one.missing_bytes() != 0)
      remarks_.push_back(
          base::format("rank {}'s file was cut: {} of {} bytes of records are missing", head.rank,
                       one.missing_bytes(), head.left));
    if (head.lost != 0)
      remarks_.push_back(
          base::format("rank {} lost {} events at its end: AM_TRACE_LIMIT, or a full disk",
                       head.rank, head.lost));
  }
}

std::vector<std::string> job_trace::remarks_behind() const {
  std::vector<std::string> out;
  for (const trace_file& one : files_)
    if (one.unreadable() != 0)
      out.push_back(base::format(
          "rank {}'s file has a hole: {} records are zeros or damaged and left out, as "
          "a full disk or a network's file system may lose them",
          one.head().rank, one.unreadable()));
  return out;
}

void job_trace::advance(std::size_t file) {
  const trace::record* const one = files_[file].next();
  if (one == nullptr) return;
  heap_.push_back(at_time(files_[file], *one));
  std::ranges::push_heap(heap_, ends_later);
}

void job_trace::begin() {
  heap_.clear();
  for (std::size_t i = 0; i < files_.size(); ++i) {
    files_[i].rewind();
    advance(i);
  }
}

bool job_trace::pop(event& out) {
  if (heap_.empty()) return false;
  std::ranges::pop_heap(heap_, ends_later);
  out = heap_.back();
  heap_.pop_back();
  advance(static_cast<std::size_t>(out.of - files_.data()));
  return true;
}

}  // namespace am::detail::traces
