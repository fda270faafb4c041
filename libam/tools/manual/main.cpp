// Run by the build: writes the reference of the commands and settings from their own tables.
//
//   am-manual FOLDER      manual pages and completion, as they lie under share/
//   am-manual --settings  docs/settings.md, on standard output
//   am-manual --schema    docs/am-profile.schema.json, on standard output
#include <libam/tools/am-dial/options.hpp>
#include <libam/tools/am-info/options.hpp>
#include <libam/tools/am-run/options.hpp>
#include <libam/tools/am-trace/options.hpp>
#include <libam/tools/manual/pages.hpp>

#include <calib/driver/options.hpp>
#include <calib/driver/profile/profile_json.hpp>
#include <calib/suite/options.hpp>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace am::detail::manual {
namespace {

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file);
  out.exceptions(std::ios::failbit | std::ios::badbit);
  out << text;
  out.close();
}

int print(const std::string& page) { return std::fputs(page.c_str(), stdout) < 0 ? 1 : 0; }

template <class Words>
command read_description(void (*describe)(CLI::App&, Words&)) {
  Words words;
  return read_command([&](CLI::App& app) { describe(app, words); });
}

void write_all(const std::filesystem::path& share) {
  for (const command& each :
       {read_description(&run::describe), read_description(&info::describe),
        read_description(&dial::describe), read_description(&traces::describe),
        read_description(&calib::describe), read_description(&calib::suite::describe)}) {
    write(share / "man/man1" / (each.name + ".1"), man_page(each));
    write(share / "bash-completion/completions" / each.name, completion(each));
  }
  write(share / "man/man7/libam.7", library_page());
}

}  // namespace
}  // namespace am::detail::manual

int main(int argc, char** argv) {
  using namespace am::detail;
  if (argc != 2) return 2;
  try {
    const std::string_view what = argv[1];
    if (what == "--settings") return manual::print(manual::settings_page());
    if (what == "--schema") return manual::print(calib::profile_schema());
    if (what.starts_with('-')) return 2;
    manual::write_all(argv[1]);
    return 0;
  } catch (const std::exception& broken) {
    std::fprintf(stderr, "am-manual: %s\n", broken.what());
    return 1;
  }
}
