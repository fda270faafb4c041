#include "options.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdio>
#include <string>

namespace apps {
namespace {

template <class Number>
bool read_number(std::string_view text, Number& out) {
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && stopped == text.data() + text.size();
}

bool read_size(std::string_view text, options& out) {
  out.size = input_size::given;
  for (const input_size one : {input_size::quick, input_size::normal, input_size::paper})
    if (text == name_of(one)) return out.size = one, true;
  return read_number(text, out.given_size) && out.given_size > 0;
}

std::string text_of(const std::vector<std::string_view>& names) {
  std::string out;
  for (const std::string_view name : names) (out += out.empty() ? "" : ", ") += name;
  return out;
}

void print_size_help(const input& of) {
  std::printf(
      "  --size SIZE      quick, normal or paper: %zu, %zu or %zu %s; or a number of them;\n"
      "                   by default quick\n"
      "  --per-rank       the size is that of each rank's part\n",
      of.quick, of.normal, of.paper, of.unit);
}

void print_parameter_help(const description& of, const parameter& one) {
  std::string defaults = std::to_string(one.defaults.front());
  for (std::size_t i = 1; i < one.defaults.size(); ++i)
    if (one.defaults[i] != one.defaults.front())
      defaults.append(", of ")
          .append(of.variants[i])
          .append(" ")
          .append(std::to_string(one.defaults[i]));
  std::printf("  --%-14s %s; by default %s\n", (std::string(one.name) + " N").c_str(), one.what,
              defaults.c_str());
}

void print_help(const description& of) {
  std::printf("%s\nUsage: %s [OPTIONS]\n\n", of.summary, of.of.name);
  for (const parameter& one : of.parameters) print_parameter_help(of, one);
  if (of.parameters.empty()) print_size_help(of.of);
  std::printf("  --seed N         of the input; by default 1\n");
  std::printf("  --variant NAME   %s; by default the first\n", text_of(of.variants).c_str());
  std::printf(
      "  --samples N      runs in this job; by default 1\n"
      "  --json           a line of JSON for each run\n"
      "  --suite          what am-suite reads\n"
      "\n"
      "Every run checks its result.\n"
      "\n"
      "Examples:\n"
      "  am-run -n 2 %s\n"
      "  AM_TRANSPORT=tcp am-run -n 4 %s --seed 7 --json\n"
      "\n"
      "Exit status: 0 every result was right; 1 one was wrong; 2 bad usage\n",
      of.of.name, of.of.name);
}

class reader {
 public:
  reader(const description& of, options& out) : of_(of), out_(out), given_(of.parameters.size()) {}

  // Why this option cannot have this value; empty: it can.
  std::string read(std::string_view name, std::string_view value) {
    if (name == "--size")
      return read_size(value, out_) ? "" : "must be quick, normal, paper, or a number";
    if (name == "--seed") return read_number(value, out_.seed) ? "" : "must be a whole number";
    if (name == "--samples")
      return read_number(value, out_.samples) && out_.samples > 0 ? "" : "must be 1 or more";
    if (const auto which = parameter_of(name)) {
      const std::size_t least = of_.parameters[*which].least;
      std::size_t& given = given_[*which].emplace();
      return read_number(value, given) && given >= least
                 ? ""
                 : "must be " + std::to_string(least) + " or more";
    }
    for (const std::string_view one : of_.variants)
      if (name == "--variant" && value == one) return out_.variant = one, "";
    return "must be one of " + text_of(of_.variants);
  }
  [[nodiscard]] bool takes_value(std::string_view name) const {
    if (name == "--size") return of_.parameters.empty();
    return name == "--seed" || name == "--samples" || name == "--variant" || parameter_of(name);
  }
  bool read_flag(std::string_view name) {
    if (name == "--per-rank" && of_.parameters.empty()) return out_.per_rank = true;
    if (name == "--json") return out_.form = output::json, true;
    if (name == "--suite") return out_.form = output::suite, true;
    return false;
  }
  // A parameter that is not given has the default of the variant.
  void set_parameters() {
    const auto variant = std::ranges::find(of_.variants, out_.variant) - of_.variants.begin();
    for (std::size_t i = 0; i < given_.size(); ++i)
      out_.parameters.push_back(
          given_[i].value_or(of_.parameters[i].defaults[static_cast<std::size_t>(variant)]));
  }

 private:
  [[nodiscard]] std::optional<std::size_t> parameter_of(std::string_view name) const {
    for (std::size_t i = 0; i < of_.parameters.size(); ++i)
      if (name.starts_with("--") && name.substr(2) == of_.parameters[i].name) return i;
    return std::nullopt;
  }

  const description& of_;
  options& out_;
  std::vector<std::optional<std::size_t>> given_;
};

}  // namespace

std::optional<int> read_options(const description& of, int argc, char** argv, options& out) {
  const auto complain = [&](const std::string& line) {
    std::fprintf(stderr, "%s: %s (see %s --help)\n", of.of.name, line.c_str(), of.of.name);
    return 2;
  };
  out.variant = of.variants.front();
  reader into(of, out);
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "-h") return print_help(of), 0;
    if (into.read_flag(word)) continue;
    const std::size_t equals = word.find('=');
    const std::string name(word.substr(0, equals));
    if (!into.takes_value(name)) return complain("there is no option " + name);
    std::string_view value;
    if (equals != std::string_view::npos)
      value = word.substr(equals + 1);
    else if (i + 1 < argc)
      value = argv[++i];
    if (const std::string why = into.read(name, value); !why.empty())
      return complain(name + " '" + std::string(value) + "': " + why);
  }
  into.set_parameters();
  return std::nullopt;
}

std::size_t total_size(const description& of, const options& from, std::size_t ranks) {
  if (!from.parameters.empty()) return from.parameters.front();
  const auto one = [&] {
    switch (from.size) {
      case input_size::quick: return of.of.quick;
      case input_size::normal: return of.of.normal;
      case input_size::paper: return of.of.paper;
      case input_size::given: break;
    }
    return from.given_size;
  }();
  const std::size_t all = from.per_rank ? one * ranks : one;
  if (of.of.has_powers_of_two)
    return std::max(std::bit_floor(all), std::bit_floor(ranks) * std::bit_floor(ranks));
  return std::max(all - all % (2 * ranks), 2 * ranks);
}

std::string_view name_of(input_size size) {
  switch (size) {
    case input_size::quick: return "quick";
    case input_size::normal: return "normal";
    case input_size::paper: return "paper";
    case input_size::given: break;
  }
  return "given";
}

}  // namespace apps
