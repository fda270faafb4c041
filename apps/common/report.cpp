#include "report.hpp"

#include <algorithm>
#include <cstdio>

namespace apps {
namespace {

std::string values(const std::string& probe, const std::vector<double>& all) {
  std::string line = "values " + probe + " -";
  char text[32];
  for (const double one : all) {
    std::snprintf(text, sizeof text, " %.6g", one);
    line += text;
  }
  return line + '\n';
}

void print_text_counts(const char* title, const std::vector<named_count>& all) {
  std::string line;
  for (const named_count& one : all)
    line.append(line.empty() ? " " : ", ")
        .append(one.name)
        .append(" ")
        .append(std::to_string(one.count));
  std::ranges::replace(line, '_', ' ');
  if (!all.empty()) std::printf("  %s:%s\n", title, line.c_str());
}

void print_json_counts(const char* key, const std::vector<named_count>& all) {
  if (all.empty()) return;
  std::printf(",\"%s\":", key);
  char before = '{';
  for (const named_count& one : all) {
    std::printf("%c\"%s\":%zu", before, std::string(one.name).c_str(), one.count);
    before = ',';
  }
  std::printf("}");
}

double percent(double part, double of) { return of > 0 ? 100 * part / of : 0; }

}  // namespace

// ---- phases -------------------------------------------------------------------------------------

void phases::begin(const char* name) {
  end();
  const auto found = std::ranges::find(all_, name, &phase::name);
  current_ = static_cast<std::size_t>(found - all_.begin()) + 1;
  if (found == all_.end()) all_.push_back({name, 0});
  since_ = clock::now();
}

void phases::end() {
  if (current_ == 0) return;
  all_[current_ - 1].seconds += std::chrono::duration<double>(clock::now() - since_).count();
  current_ = 0;
}

// ---- report -------------------------------------------------------------------------------------

void report::add(const run& one) {
  all_right_ = all_right_ && one.right;
  runs_.push_back(one);
  if (from_.form == output::text) print_text(one);
  if (from_.form == output::json) print_json(one);
}

void report::finish() const {
  if (from_.form != output::suite) return;
  const std::string text = suite_lines();
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void report::print_text(const run& one) const {
  std::printf("%s %s: %zu %s on %zu ranks in %.4f s: %s\n", of_.of.name,
              std::string(from_.variant).c_str(), size_, of_.of.unit, ranks_, one.seconds,
              one.right ? "right" : "WRONG");
  for (const phases::phase& part : one.parts)
    std::printf("  %-12s %8.4f s  %3.0f %%\n", part.name.c_str(), part.seconds,
                percent(part.seconds, one.seconds));
  print_text_counts("parameters", parameters());
  print_text_counts("checked", one.checked);
  const traffic& t = one.per_rank;
  if (one.has_traffic)
    std::printf(
        "  a rank: %.0f messages (%.1f a ms, %.1f %% bulk, %.1f %% reads), %.0f bulk bytes, "
        "%.0f barriers\n",
        t.messages, t.messages / (one.seconds * 1e3), percent(t.bulk_messages, t.messages),
        percent(t.reads, t.messages), t.bulk_bytes, t.barriers);
  std::fflush(stdout);
}

void report::print_json(const run& one) const {
  std::printf(R"({"program":"%s","variant":"%s","layer":"%s","ranks":%zu,"size":%zu,"unit":"%s",)"
              R"("seed":%llu,"right":%s,"seconds":%.9g,"phases":{)",
              of_.of.name, std::string(from_.variant).c_str(), layer_, ranks_, size_, of_.of.unit,
              static_cast<unsigned long long>(from_.seed), one.right ? "true" : "false",
              one.seconds);
  const char* comma = "";
  for (const phases::phase& part : one.parts) {
    std::printf("%s\"%s\":%.9g", comma, part.name.c_str(), part.seconds);
    comma = ",";
  }
  std::printf("}");
  print_json_counts("parameters", parameters());
  print_json_counts("checked", one.checked);
  const traffic& t = one.per_rank;
  if (one.has_traffic)
    std::printf(R"(,"messages":%.9g,"bulk_messages":%.9g,"bulk_bytes":%.9g,"reads":%.9g,)"
                "\"barriers\":%.9g",
                t.messages, t.bulk_messages, t.bulk_bytes, t.reads, t.barriers);
  std::printf("}\n");
  std::fflush(stdout);
}

std::vector<named_count> report::parameters() const {
  std::vector<named_count> all;
  for (std::size_t i = 0; i < of_.parameters.size(); ++i)
    all.push_back({of_.parameters[i].name, from_.parameters[i]});
  return all;
}

// The format of the layer programs of am-calibrate. A wrong result is a launch that failed.
std::string report::suite_lines() const {
  if (!all_right_) return "fault its result is wrong\ndone\n";
  const auto column = [&](auto&& of) {
    std::vector<double> all;
    for (const run& one : runs_) all.push_back(of(one));
    return all;
  };
  std::string text = values("time", column([](const run& r) { return r.seconds * 1e9; }));
  for (std::size_t i = 0; i < runs_.front().parts.size(); ++i)
    text += values("phase/" + runs_.front().parts[i].name,
                   column([i](const run& r) { return r.parts[i].seconds * 1e9; }));
  if (runs_.front().has_traffic) {
    const auto add = [&](const char* probe, auto part, auto which) {
      text += values(probe, column([=](const run& r) { return r.*part.*which; }));
    };
    add("messages", &run::per_rank, &traffic::messages);
    add("bulk_messages", &run::per_rank, &traffic::bulk_messages);
    add("bulk_bytes", &run::per_rank, &traffic::bulk_bytes);
    add("reads", &run::per_rank, &traffic::reads);
    add("barriers", &run::per_rank, &traffic::barriers);
    add("load/sent", &run::busiest, &load::sent);
    add("load/handled", &run::busiest, &load::handled);
    add("load/bytes", &run::busiest, &load::bytes);
    add("load/gets", &run::busiest, &load::gets);
    add("load/get_bytes", &run::busiest, &load::get_bytes);
    add("load/reads", &run::busiest, &load::reads);
    add("load/barriers", &run::busiest, &load::barriers);
  }
  return text + "done\n";
}

}  // namespace apps
