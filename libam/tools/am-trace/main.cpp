// am-trace: reads the traces that the ranks of a job have written, or has a job write some.
#include <libam/base/format.hpp>
#include <libam/tools/am-trace/dilated_runs.hpp>
#include <libam/tools/am-trace/merge.hpp>
#include <libam/tools/am-trace/options.hpp>
#include <libam/tools/am-trace/show.hpp>
#include <libam/tools/am-trace/states.hpp>
#include <libam/tools/messages.hpp>

#include <cstdio>
#include <exception>

namespace am::detail::traces {
namespace {

constexpr int first_signal_status = 128;

void merge(job_trace& from, const std::string& output) {
  text_file to(output);
  std::vector<std::string> remarks = from.clock().lines();
  const auto add = [&](const std::vector<std::string>& more) {
    remarks.insert(remarks.end(), more.begin(), more.end());
  };
  if (output.ends_with(".goal")) {
    const whole_messages whole(from);
    write_goal(from, whole, to);
    add(whole.remarks());
  } else {
    pairing messages;
    output.ends_with(".json") ? write_json(from, messages, to) : write_csv(from, messages, to);
    add(messages.remarks());
  }
  to.close();
  for (const std::string& line : remarks) tools::print_message("am-trace", line);
}

std::string states(job_trace& from, const options& with) {
  const std::vector<rank_states> all = states_of(from, with.within);
  if (with.json) return states_json(all, from.clock().bound());
  std::string out = states_text(all);
  for (const std::string& line : from.clock().lines()) base::append(out, "{}\n", line);
  return out;
}

void print(const std::string& text) {
  text_file to("-");
  to.add("{}", text);
  to.close();
}

// What there is of an interrupted measurement is printed all the same.
int dilate(const options& from) {
  dilation_of what{{}, from.within, 0};
  for (const std::string& word : from.program)
    what.command += (what.command.empty() ? "" : " ") + word;
  int stopped = 0;
  const dilation all = analyse(
      run_dilated({from.program, from.factors, from.within, from.rounds}, what.rounds, stopped));
  print(from.json ? dilation_json(all, what) : dilation_text(all, what));
  return stopped == 0 ? 0 : first_signal_status + stopped;
}

int run(int argc, char** argv) {
  options from;
  if (const auto status = read_options(argc, argv, from)) return *status;
  if (from.what == command::dilate) return dilate(from);
  job_trace all(from.folder);
  for (const std::string& line : all.remarks()) tools::print_message("am-trace", line);
  if (from.what == command::merge)
    merge(all, from.output);
  else
    print(from.what == command::show ? summary_of(all, from.rows) : states(all, from));
  for (const std::string& line : all.remarks_behind()) tools::print_message("am-trace", line);
  return 0;
}

}  // namespace
}  // namespace am::detail::traces

int main(int argc, char** argv) {
  try {
    return am::detail::traces::run(argc, argv);
  } catch (const std::exception& broken) {
    am::detail::tools::print_message("am-trace", broken.what());
    return 1;
  }
}
