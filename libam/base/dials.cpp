#include <libam/base/dials.hpp>

#include <libam/base/text.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

namespace am::detail::base {

namespace {

constexpr double longest = 10e9;        // ns
constexpr double longest_byte = 100e3;  // ns
constexpr std::uint32_t most_fragment_bytes = 1 << 30;

// The dials of these names, which stand for two where they have two.
struct file_dial {
  std::string_view name;
  std::string dials::*first;
  std::string dials::*second;
};
constexpr file_dial files[] = {
    {"o_s", &dials::o_s_file, &dials::o_s_file}, {"o_r", &dials::o_r_file, &dials::o_r_file},
    {"o", &dials::o_s_file, &dials::o_r_file},   {"L", &dials::L_file, &dials::L_file},
    {"g_s", &dials::g_s_file, &dials::g_s_file}, {"g_r", &dials::g_r_file, &dials::g_r_file},
    {"g", &dials::g_s_file, &dials::g_r_file}};

struct time_dial {
  std::string_view name;
  double dials::*first;
  double dials::*second;  // the other end's, for names that stand for both
  // Whether each is the whole, or of the gaps added; null: nothing can be added to it.
  bool dials::*first_kind = nullptr;
  bool dials::*second_kind = nullptr;
  bool kind_with_plus = false;
};
constexpr time_dial times[] = {
    {"o_s", &dials::o_s, &dials::o_s, &dials::whole_o_s, &dials::whole_o_s},
    {"o_r", &dials::o_r, &dials::o_r, &dials::whole_o_r, &dials::whole_o_r},
    {"o", &dials::o_s, &dials::o_r, &dials::whole_o_s, &dials::whole_o_r},
    {"L", &dials::L, &dials::L, &dials::whole_L, &dials::whole_L},
    {"g_s", &dials::g_s, &dials::g_s, &dials::added_g_s, &dials::added_g_s, true},
    {"g_r", &dials::g_r, &dials::g_r, &dials::added_g_r, &dials::added_g_r, true},
    {"g", &dials::g_s, &dials::g_r, &dials::added_g_s, &dials::added_g_r, true},
    {"G", &dials::G, &dials::G}};

constexpr std::pair<std::string_view, std::uint32_t dials::*> sizes[] = {
    {"fragment", &dials::fragment}, {"threshold", &dials::threshold}};

constexpr std::pair<std::string_view, double> units[] = {
    {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

bool read_size(std::string_view text, std::uint32_t& out) noexcept {
  return read_number(text, out) && out <= most_fragment_bytes;
}

bool read_file(std::string_view name, std::string_view file, dials& out) {
  const auto found = std::ranges::find(files, name, &file_dial::name);
  if (found == std::end(files) || file.empty()) return false;
  out.*found->first = file;
  out.*found->second = file;
  return true;
}

bool read_dial(std::string_view item, dials& out) {
  const std::size_t equals = item.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = item.substr(0, equals);
  const std::string_view value = item.substr(equals + 1);
  for (const auto& [known, member] : sizes)
    if (name == known) return read_size(value, out.*member) && out.fragment != 0;
  constexpr std::string_view file_mark = "+@";
  if (value.starts_with(file_mark)) return read_file(name, value.substr(file_mark.size()), out);
  for (const time_dial& one : times) {
    if (name != one.name) continue;
    const bool plus = value.starts_with('+');
    const bool may_be_added = one.first_kind != nullptr;
    if ((plus && !may_be_added) || !read_time(value.substr(plus ? 1 : 0), out.*one.first))
      return false;
    out.*one.second = out.*one.first;
    if (may_be_added)
      out.*one.first_kind = out.*one.second_kind = plus == one.kind_with_plus && out.*one.first > 0;
    return out.G <= longest_byte;
  }
  return false;
}

}  // namespace

bool read_time(std::string_view text, double& out) noexcept {
  const char* const end = text.data() + text.size();
  double number = 0;
  const auto [stopped, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error != std::errc{} || !(number >= 0)) return false;
  const std::string_view unit(stopped, static_cast<std::size_t>(end - stopped));
  for (const auto& [name, ns] : units) {
    if (unit != name) continue;
    out = number * ns;
    return out <= longest;
  }
  return false;
}

bool read_dials(std::string_view list, dials& out) noexcept {
  dials found;
  found.set = true;
  const bool valid = list == "0" || (!list.empty() && all_items(list, [&](std::string_view item) {
                       return read_dial(item, found);
                     }));
  if (valid) out = found;
  return valid;
}

std::string objection_over_mpi(const dials& of) {
  if (of.whole_o_s || of.whole_o_r)
    return "what MPI takes for a message is not known, so an overhead can only be added: o=+1us";
  if (of.added_g_s || of.added_g_r)
    return "what lies between MPI's messages by themselves is not known, so a gap is the least: "
           "g=5us";
  for (const std::string* file :
       {&of.o_s_file, &of.o_r_file, &of.L_file, &of.g_s_file, &of.g_r_file})
    if (!file->empty()) return "+@" + *file + " is for programs over libam";
  return {};
}

}  // namespace am::detail::base
