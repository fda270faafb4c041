// Completion for bash. Options that are not built yet are not offered.
#include <libam/base/format.hpp>
#include <libam/tools/manual/pages.hpp>

#include <algorithm>

namespace am::detail::manual {
namespace {

std::string function_name(const std::string& command) {
  std::string name = "_" + command;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string with_bars(const option& each) { return base::joined(each.names, "|"); }

// Every option that is offered, with those of the subcommands.
std::vector<option> all_options(const command& about) {
  std::vector<option> all;
  const auto add = [&](const command& from) {
    std::copy_if(from.options.begin(), from.options.end(), std::back_inserter(all),
                 [](const option& o) { return o.names.front().starts_with('-'); });
  };
  add(about);
  for (const command& each : about.subcommands) add(each);
  return all;
}

std::string offered(const command& about) {
  std::vector<std::string> words;
  for (const option& each : about.options)
    if (each.built && each.names.front().starts_with('-'))
      words.insert(words.end(), each.names.begin(), each.names.end());
  return base::joined(words, " ");
}

// Skips the words before the current one: `what` becomes the first other word.
void add_walk(std::string& out, const command& about) {
  std::vector<std::string> valued;
  for (const option& each : all_options(about))
    if (!each.value.empty()) valued.push_back(with_bars(each));
  out += "  local word=${COMP_WORDS[COMP_CWORD]} offered= what= i\n";
  out += "  for ((i = 1; i < COMP_CWORD; ++i)); do\n    case ${COMP_WORDS[i]} in\n";
  if (!valued.empty()) out += base::format("      {}) ((++i)) ;;\n", base::joined(valued, "|"));
  out += "      -*) ;;\n";
  if (about.starts_program)
    out += "      *) declare -F _command_offset >/dev/null && _command_offset $i; return ;;\n";
  else
    out += "      *) what=${what:-${COMP_WORDS[i]}} ;;\n";
  out += "    esac\n  done\n";
}

// The values of an option whose help shows them all: "core|none".
void add_values(std::string& out, const command& about) {
  out += "  if ((i > COMP_CWORD)); then\n    case ${COMP_WORDS[COMP_CWORD - 1]} in\n";
  for (const option& each : all_options(about)) {
    const bool words = each.value.find('|') != std::string::npos &&
                       std::none_of(each.value.begin(), each.value.end(),
                                    [](char c) { return c >= 'A' && c <= 'Z'; });
    if (!words) continue;
    std::string values = each.value;
    std::replace(values.begin(), values.end(), '|', ' ');
    out += base::format("      {}) offered='{}' ;;\n", with_bars(each), values);
  }
  out += "      *) return ;;\n    esac\n";
}

}  // namespace

std::string completion(const command& about) {
  const std::string function = function_name(about.name);
  std::string out =
      "# Completion of " + about.name + " for bash, made by the build from its options.\n";
  out += function + "() {\n";
  add_walk(out, about);
  add_values(out, about);
  out += "  elif [[ $word == -* ]]; then\n    case $what in\n";
  for (const command& each : about.subcommands)
    if (each.built) out += base::format("      {}) offered='{}' ;;\n", each.name, offered(each));
  out += base::format("      *) offered='{}' ;;\n    esac\n", offered(about));
  std::vector<std::string> subcommands;
  for (const command& each : about.subcommands)
    if (each.built) subcommands.push_back(each.name);
  if (!subcommands.empty())
    out += base::format("  elif [[ -z $what ]]; then\n    offered='{}'\n",
                        base::joined(subcommands, " "));
  if (about.starts_program)
    out += "  else\n    COMPREPLY=($(compgen -c -- \"$word\"))\n    return\n";
  out += "  fi\n  COMPREPLY=($(compgen -W \"$offered\" -- \"$word\"))\n}\n";
  // Without an answer: file names.
  out += base::format("complete -o default -F {} {}\n", function, about.name);
  return out;
}

}  // namespace am::detail::manual
