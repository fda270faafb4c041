// The one file of the manual that knows CLI11. A footer has paragraphs; one that begins with
// "Title:" alone in a line is a section of indented lines, whose columns are separated by two
// spaces.
#include <libam/tools/manual/command.hpp>

#include <CLI/CLI.hpp>

#include <sstream>

namespace am::detail::manual {
namespace {

bool is_built(const std::string& description) {
  return description.find("not built yet") == std::string::npos;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream from(text);
  for (std::string line; std::getline(from, line);) lines.push_back(line);
  return lines;
}

std::string usage_of(CLI::App& app, const std::string& before) {
  constexpr std::string_view head = "Usage: ";
  for (const std::string& line : lines_of(app.help(before)))
    if (line.starts_with(head)) return line.substr(head.size());
  return app.get_name();
}

option read_option(const CLI::Option& from) {
  option read;
  for (const std::string& name : from.get_snames()) read.names.push_back("-" + name);
  for (const std::string& name : from.get_lnames()) read.names.push_back("--" + name);
  if (read.names.empty()) read.names.push_back(from.get_name(true));
  if (from.get_items_expected_max() > 0) read.value = from.get_type_name();
  read.description = from.get_description();
  read.built = is_built(read.description);
  return read;
}

footer_line read_line(const std::string& line) {
  const auto start = line.find_first_not_of(' ');
  const auto gap = line.find("  ", start);
  if (gap == std::string::npos) return {line.substr(start), {}};
  return {line.substr(start, gap - start), line.substr(line.find_first_not_of(' ', gap))};
}

void read_footer(const std::string& footer, command& into) {
  bool fresh = true;       // the next line begins a paragraph
  bool in_section = true;  // lines belong to the last section
  for (const std::string& line : lines_of(footer)) {
    if (line.empty()) {
      fresh = true;
    } else if (fresh && line.back() == ':') {
      into.sections.push_back({line.substr(0, line.size() - 1), {}});
      in_section = true;
      fresh = false;
    } else if (fresh) {
      into.paragraphs.push_back(line);
      in_section = fresh = false;
    } else if (in_section) {
      into.sections.back().lines.push_back(read_line(line));
    } else {
      into.paragraphs.back() += ' ' + line;
    }
  }
}

// `before`: the words before its name on a command line, or empty.
command read_app(CLI::App& app, const std::string& before) {
  command read;
  read.name = app.get_name();
  read.usage = usage_of(app, before);
  read.purpose = app.get_description();
  for (const CLI::Option* each : app.get_options()) read.options.push_back(read_option(*each));
  read_footer(app.get_footer(), read);
  for (CLI::App* each : app.get_subcommands(nullptr))
    read.subcommands.push_back(read_app(*each, app.get_name()));
  read.starts_program = app.get_prefix_command();
  read.built = is_built(read.purpose);
  return read;
}

}  // namespace

command read_command(const std::function<void(CLI::App&)>& describe) {
  CLI::App app;
  describe(app);
  return read_app(app, {});
}

}  // namespace am::detail::manual
