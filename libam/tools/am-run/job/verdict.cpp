// The first failure decides; later ones are mostly its consequences.
#include <libam/tools/am-run/job/verdict.hpp>

#include <libam/base/format.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

namespace am::detail::run {
namespace {

std::string text_of(const rank_name& name) {
  return base::format("rank {} (pid {}, host {})", name.rank, name.pid, name.host);
}

}  // namespace

std::string describe_end(int wait_status) {
  if (!WIFSIGNALED(wait_status)) return base::format("exit status {}", WEXITSTATUS(wait_status));
  const int number = WTERMSIG(wait_status);
  const char* name = ::sigabbrev_np(number);
  const std::string signal =
      name != nullptr ? base::format("SIG{}", name) : base::format("signal {}", number);
  return WCOREDUMP(wait_status) ? signal + " (core dumped)" : signal;
}

int shell_status(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

death death_of(const rank_name& name, int wait_status) {
  return {name, shell_status(wait_status), describe_end(wait_status)};
}

death death_without_close(const rank_name& name, std::string_view how) {
  return {name, 1, std::string(how)};
}

bool verdict::record(int exit_status) {
  if (status_) return reports_all_;
  status_ = exit_status;
  return stopped_by_ == 0;
}

std::optional<std::string> verdict::record_death(const death& of, bool others_go_on) {
  const bool is_first = !status_.has_value();
  const bool says_so = record(of.exit_status) || (others_go_on && stopped_by_ == 0);
  if (!says_so) return std::nullopt;
  return base::format("{} {}{}", text_of(of.name),
                      is_first ? "died first: " : "died, too: ", of.how);
}

std::optional<std::string> verdict::record_bad_end(const rank_name& name, int wait_status) {
  if (!record(shell_status(wait_status))) return std::nullopt;
  return base::format("{} had left the job and ended with {}", text_of(name),
                      describe_end(wait_status));
}

std::optional<std::string> verdict::record_unknown_end(const rank_name& name,
                                                       const std::string& why) {
  if (!record(1)) return std::nullopt;
  return base::format("{} had left the job, and its end is unknown: {}", text_of(name), why);
}

std::optional<std::string> verdict::record_abort(const rank_name& name, int exit_status,
                                                 const std::string& line) {
  if (!record(exit_status & 0xff)) return std::nullopt;
  return base::format("{} ended the job with status {}{}{}", text_of(name), exit_status & 0xff,
                      line.empty() ? "" : ": ", line);
}

std::optional<std::string> verdict::record_failure(int exit_status, const std::string& line) {
  if (!record(exit_status)) return std::nullopt;
  return line;
}

int verdict::exit_status() const noexcept {
  if (!status_) return 0;
  return stopped_by_ != 0 ? 128 + stopped_by_ : *status_;
}

}  // namespace am::detail::run
