#include <libam/tools/am-run/job/allocation.hpp>

#include <libam/base/format.hpp>
#include <libam/base/text.hpp>
#include <libam/tools/am-run/job/verdict.hpp>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace am::detail::run {
namespace {

constexpr std::size_t most_hosts = 1U << 16;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Takes a number from the front of `text`.
bool take_number(std::string_view& text, std::size_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc{} && value >= 1 && value <= most_hosts;
}

// What it prints. `status`: how it ended.
std::string output_of(const char* command, int& status) {
  std::string text;
  FILE* output = ::popen(command, "re");
  if (output == nullptr) return text;
  char room[4096];
  while (const std::size_t count = std::fread(room, 1, sizeof room, output))
    text.append(room, count);
  status = ::pclose(output);
  return text;
}

}  // namespace

bool in_allocation() {
  constexpr std::string_view interactive_step = "4294967290";
  constexpr std::string_view batch_step = "4294967291";
  const std::string_view step = variable("SLURM_STEP_ID");
  const std::string_view hosts = variable("SLURM_JOB_NUM_NODES");
  return !variable("SLURM_JOB_NODELIST").empty() && !hosts.empty() && hosts != "1" &&
         (step.empty() || step == interactive_step || step == batch_step);
}

std::vector<am_rank> read_tasks_per_node(std::string_view text) {
  std::vector<am_rank> tasks;
  const bool good = base::all_items(text, [&](std::string_view item) {
    std::size_t each = 0;
    std::size_t hosts = 1;
    if (!take_number(item, each)) return false;
    if (item.starts_with("(x")) {
      item.remove_prefix(2);
      if (!take_number(item, hosts) || item != ")") return false;
      item = {};
    }
    tasks.insert(tasks.end(), hosts, static_cast<am_rank>(each));
    return item.empty();
  });
  return good ? tasks : std::vector<am_rank>{};
}

bool read_allocation(std::vector<host_slots>& out, std::string& problem) {
  int status = -1;
  std::istringstream names(output_of("scontrol show hostnames \"$SLURM_JOB_NODELIST\"", status));
  for (std::string name; status == 0 && names >> name;) out.push_back({name, 1});
  if (out.empty()) {
    problem = base::format(
        "cannot list the hosts of the Slurm allocation: scontrol show hostnames {}: {}",
        base::abbreviate(variable("SLURM_JOB_NODELIST")),
        status < 0 ? "it cannot be started" : describe_end(status));
    return false;
  }
  const std::string_view text = variable("SLURM_TASKS_PER_NODE");
  if (text.empty()) return true;
  const std::vector<am_rank> tasks = read_tasks_per_node(text);
  if (tasks.size() != out.size()) {
    problem = base::format("SLURM_TASKS_PER_NODE={} does not fit its {} hosts",
                           base::abbreviate(text), out.size());
    return false;
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i].slots = tasks[i];
  return true;
}

}  // namespace am::detail::run
