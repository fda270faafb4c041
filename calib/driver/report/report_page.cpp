// The report as a page: which document has which part.
#include <calib/driver/output/document.hpp>
#include <calib/driver/output/json_text.hpp>
#include <calib/driver/profile/profile_json.hpp>
#include <calib/driver/report/parts.hpp>
#include <calib/driver/report/profile_part.hpp>
#include <calib/driver/report/report.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace calib {
namespace {

constexpr std::size_t most_bytes = 2'000'000;  // of the page
constexpr std::string_view of_profile = "am-profile/1";

// Every other kind of document.
struct kind {
  const char* schema;
  const char* says;
  void (*add)(const json_field& whole, html::page& into);
};
constexpr std::array kinds = {
    kind{"am-peers/1", "libam beside its peers and the machine's limits", add_peers},
    kind{"am-comb/1", "how much of the processor is left beside messages", add_comb},
    kind{"am-commtest/1", "protocols by which two processes swap data", add_commtest},
    kind{"am-dials/1", "how exactly AM_DIAL changes each cost", add_dials},
    kind{"am-suite/1", "what messages cost whole programs", add_suite},
    kind{"am-states/1", "what the ranks of a program wait for", add_states},
    kind{"am-dilation/1", "what a faster network would bring", add_dilation},
};

std::string known_schemas() {
  std::string out = format("\"{}\"", of_profile);
  for (const kind& one : kinds) out += format(", \"{}\"", one.schema);
  return "one of " + out;
}

// Sets what the text is. False: it is no document of ours, and `problem` says why.
bool recognise(document& one, std::string& problem) {
  parse_document(one.text, problem, [&](const json_field& whole) {
    const json_field schema = whole["schema"];
    one.schema = schema.text();
    if (one.schema != of_profile &&
        std::ranges::none_of(kinds, [&](const kind& k) { return one.schema == k.schema; }))
      schema.expected(known_schemas());
  });
  if (problem.empty()) one.whole = json::parse(one.text);
  return problem.empty();
}

// A profile, and the name by which the page calls it.
struct named_profile {
  const document* from;
  profile is;
};

std::optional<std::vector<named_profile>> read_profiles(const std::vector<document>& all,
                                                        std::string& file, std::string& problem) {
  std::vector<named_profile> out;
  for (const document& one : all) {
    if (one.schema != of_profile) continue;
    std::optional<profile> found = parse_profile(one.text, problem);
    if (!found) {
      file = one.file;
      return std::nullopt;
    }
    out.push_back({&one, std::move(*found)});
  }
  return out;
}

// The documents for a script element, without the samples, which are most of their length.
std::string data_of(const std::vector<document>& all) {
  json out = json::array();
  for (const document& one : all) {
    json whole = one.whole;
    if (whole.contains("conditions") && whole["conditions"].is_object())
      whole["conditions"].erase("launches");
    out.push_back({{"file", legible(one.file)}, {"document", std::move(whole)}});
  }
  return text_of({{"files", std::move(out)}});
}

std::string list_of(const std::vector<document>& all) {
  std::string out;
  for (const document& one : all)
    out += format("{}{}, of {}", out.empty() ? "" : "; ", legible(one.file), one.written_on);
  return out;
}

bool add_document(const document& one, html::page& into, std::string& problem) {
  const kind& of =
      *std::ranges::find_if(kinds, [&](const kind& k) { return one.schema == k.schema; });
  into.part(format("{}: {}", legible(one.file), of.says), legible(one.file));
  const json_field whole(one.whole, problem);
  of.add(whole, into);
  return problem.empty();
}

}  // namespace

std::optional<std::string> report_of(std::vector<document> documents, std::string& file,
                                     std::string& problem) {
  for (document& one : documents)
    if (!recognise(one, problem)) {
      file = one.file;
      return std::nullopt;
    }
  const auto profiles = read_profiles(documents, file, problem);
  if (!profiles) return std::nullopt;
  html::page out("What messages cost", list_of(documents));
  out.limit(most_bytes);
  const bool two = profiles->size() == 2;
  if (two) {
    out.part("Profile B beside profile A");
    const auto side = [](const named_profile& one) {
      return comparison_side{legible(one.from->file), one.is};
    };
    add_comparison(side(profiles->front()), side(profiles->back()), out);
  }
  for (const document& one : documents) {
    const auto as_profile = std::ranges::find(*profiles, &one, &named_profile::from);
    if (as_profile != profiles->end()) {
      const std::string letter = !two ? "" : as_profile == profiles->begin() ? "A" : "B";
      out.part(format("{}{}: what a message costs", letter.empty() ? "" : letter + ", ",
                      legible(one.file)),
               legible(one.file));
      add_profile(as_profile->is, {letter, one.written_on}, out);
    } else if (!add_document(one, out, problem)) {
      file = one.file;
      return std::nullopt;
    }
  }
  html::page with_data = out;
  with_data.data(data_of(documents));
  for (const html::page* one : {&with_data, &out})
    if (std::string text = one->text(); text.size() < most_bytes) return text;
  file.clear();
  problem = format("the page would have {} bytes or more, of at most {}: give fewer files",
                   out.text().size(), most_bytes);
  return std::nullopt;
}

}  // namespace calib
