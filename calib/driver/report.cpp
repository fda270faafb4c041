// am-calibrate report: reads the files, and writes the page.
#include <calib/driver/commands.hpp>
#include <calib/driver/output/document.hpp>
#include <calib/driver/profile/profile_store.hpp>
#include <calib/driver/report/report.hpp>
#include <calib/format.hpp>

#include <sys/stat.h>

#include <array>
#include <ctime>
#include <filesystem>
#include <utility>

namespace calib {
namespace {

// "2026-11-28 07:14 UTC".
std::string date_of(const std::string& file) {
  struct stat found {};
  std::tm at{};
  if (::stat(file.c_str(), &found) != 0 || ::gmtime_r(&found.st_mtime, &at) == nullptr)
    return "an unknown date";
  std::array<char, 32> out{};
  (void)std::strftime(out.data(), out.size(), "%Y-%m-%d %H:%M UTC", &at);
  return out.data();
}

// Beside the first file; but beside a profile of the machine only root can write.
std::string default_page(const std::vector<std::string>& files, bool is_kept) {
  if (is_kept && files.front() != default_profile_path()) return "report.html";
  return (std::filesystem::path(files.front()).parent_path() / "report.html").string();
}

// The file that the page would write over, by whatever name; empty: none.
std::string file_at(const std::string& page, const std::vector<std::string>& files) {
  std::error_code none;
  for (const std::string& one : files)
    if (std::filesystem::equivalent(page, one, none)) return one;
  return {};
}

}  // namespace

exit_status report(const report_request& request) {
  std::vector<std::string> files = request.files;
  if (files.empty()) {
    const std::optional<kept_profile> kept = find_kept_profile();
    if (!kept) return bad_usage;
    files = {kept->place};
  }
  const std::string to = request.html.value_or(default_page(files, request.files.empty()));
  if (const std::string over = file_at(to, files); !over.empty()) {
    say(format("the report would write over {}: -o names another file for it", over));
    return bad_usage;
  }
  std::vector<document> documents;
  std::string file, problem;
  for (const std::string& one : files) {
    std::optional<std::string> text = read_text(one, problem);
    if (!text) {
      say_unreadable(one, problem);
      return bad_usage;
    }
    documents.push_back({one, std::move(*text), date_of(one)});
  }
  const std::optional<std::string> page = report_of(std::move(documents), file, problem);
  if (!page) {
    if (file.empty())
      say(problem);
    else
      say_unreadable(file, problem);
    return file.empty() ? failed : bad_usage;
  }
  if (!write_text(*page, to)) return failed;
  if (to != "-") say("the report is in " + to);
  return good;
}

}  // namespace calib
