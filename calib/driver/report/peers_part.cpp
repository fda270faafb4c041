// am-peers/1: for each transport the probes of small messages, and rates and times by size.
#include <calib/driver/output/json_measured.hpp>
#include <calib/driver/report/parts.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace calib {
namespace {

struct peer_row {
  std::string layer, transport, probe, form;
  std::uint64_t bytes = 0;
  measured_value value;

  // "store, touched": what a chart is of.
  [[nodiscard]] std::string what() const { return form.empty() ? probe : probe + ", " + form; }
};

template <class Member>
std::vector<std::string> names_in(const std::vector<peer_row>& rows, Member&& name) {
  std::vector<std::string> out;
  for (const peer_row& row : rows)
    if (std::ranges::find(out, name(row)) == out.end()) out.push_back(name(row));
  return out;
}

std::vector<peer_row> rows_of(const json_field& whole) {
  std::vector<peer_row> out;
  const json_field rows = whole["rows"];
  for (const json_field& one : rows.items(most_rows, "rows")) {
    peer_row row{one["layer"].text(),  one["transport"].text(),    one["probe"].text(), "",
                 one["bytes"].count(), read_measured(one["value"])};
    if (const auto form = one.find("form")) row.form = form->text();
    out.push_back(std::move(row));
  }
  const auto check = [&](const char* what, auto&& name) {
    rows.at_most(most_names, names_in(out, name).size(), what);
  };
  check("layers", [](const peer_row& r) { return r.layer; });
  check("transports", [](const peer_row& r) { return r.transport; });
  check("probes", [](const peer_row& r) { return r.what(); });
  return out;
}

std::vector<peer_row> rows_with(const std::vector<peer_row>& all, auto&& wanted) {
  std::vector<peer_row> out;
  std::ranges::copy_if(all, std::back_inserter(out), wanted);
  return out;
}

// A row for each layer and size, a column for each probe.
grid grid_of(const std::vector<peer_row>& rows, bool with_bytes) {
  const auto name_of = [&](const peer_row& row) {
    return with_bytes ? format("{}, {} bytes", row.layer, row.bytes) : row.layer;
  };
  const std::vector<std::string> probes =
      names_in(rows, [](const peer_row& r) { return r.what(); });
  grid out(false);
  std::vector<cell> titles;
  for (const std::string& probe : probes) titles.push_back(title(probe));
  out.add(rows.front().value.unit, std::move(titles), true);
  for (const std::string& name : names_in(rows, name_of)) {
    std::vector<cell> cells(probes.size());
    for (const peer_row& row : rows)
      if (name_of(row) == name)
        cells[place_of(probes, row.what())] =
            row.value.is ? cell_of(*row.value.is) : cell{"?", "", ""};
    out.add(name, std::move(cells));
  }
  return out;
}

void add_small(const std::vector<peer_row>& rows, const std::string& transport, html::page& into) {
  html::dots shown{names_in(rows, [](const peer_row& r) { return r.probe; }), {}, "ns"};
  for (const std::string& layer : names_in(rows, [](const peer_row& r) { return r.layer; })) {
    html::dots::line line{layer, {}};
    for (const peer_row& row : rows)
      if (row.layer == layer && row.value.is)
        line.shown.push_back({place_of(shown.series, row.probe), *row.value.is});
    shown.lines.push_back(std::move(line));
  }
  into.picture(
      "Small messages, ns of each: a round trip (rtt), a message of a stream (flood), one "
      "of a stream that is answered (rr_flood), and a look at a silent peer (idle_poll).",
      shown, file_name("peers-" + transport), grid_of(rows, false));
}

// A chart for each probe, a line for each layer.
void add_sized(const std::vector<peer_row>& rows, const std::string& unit,
               const std::string& transport, html::page& into) {
  std::vector<chart> shown;
  for (const std::string& what : names_in(rows, [](const peer_row& r) { return r.what(); })) {
    chart& one =
        shown.emplace_back(chart{what, {"bytes", axis::scale::log}, {unit, axis::scale::log}, {}});
    std::map<std::string, chart::line> lines;
    for (const peer_row& row : rows)
      if (row.what() == what && row.value.is) {
        chart::line& line = lines[row.layer];
        line.points.push_back({static_cast<double>(row.bytes), *row.value.is});
      }
    for (auto& [name, line] : lines) {
      line.name = name;
      line.drawn = chart::drawn_as::curve;
      one.lines.push_back(std::move(line));
    }
  }
  into.picture(unit == "ns" ? "Messages of several sizes, ns of each."
                            : "Bulk data of several sizes, many pieces on their way, GB/s.",
               shown, file_name(format("peers-{}-{}", transport, unit)), grid_of(rows, true));
}

grid peer_ratios(const json_field& whole) {
  grid out(false);
  out.add("", {title("times")}, true);
  for (const json_field& one : whole["ratios"].items(most_rows, "ratios")) {
    const auto form = one.find("form");
    out.add(format("{} by {} over {}: {} of {} bytes{}", one["layer"].text(), one["against"].text(),
                   one["transport"].text(), one["probe"].text(), one["bytes"].count(),
                   form ? ", " + form->text() : ""),
            {cell_of(read_bounded(one, "ratio"))});
  }
  return out;
}

}  // namespace

void add_peers(const json_field& whole, html::page& into) {
  measurement from;
  const std::vector<peer_row> rows = rows_of(whole);
  const grid ratios = peer_ratios(whole);
  if (!read_measurement(whole, from)) return;
  add_head(from, into);
  for (const std::string& transport :
       names_in(rows, [](const peer_row& r) { return r.transport; })) {
    into.heading("Over " + transport);
    const auto is_small = [](const peer_row& r) {
      return r.probe == "rtt" || r.probe == "flood" || r.probe == "rr_flood" ||
             r.probe == "idle_poll";
    };
    const auto add = [&](auto&& wanted, auto&& draw) {
      const auto some =
          rows_with(rows, [&](const peer_row& r) { return r.transport == transport && wanted(r); });
      if (!some.empty()) draw(some);
    };
    add(is_small, [&](const auto& some) { add_small(some, transport, into); });
    for (const std::string unit : {"ns", "GB/s"})
      add([&](const peer_row& r) { return !is_small(r) && r.value.unit == unit; },
          [&](const auto& some) { add_sized(some, unit, transport, into); });
  }
  if (!whole["ratios"].items().empty())
    into.table("ratios",
               "A layer's value by another's within the same round. Of rates more is better.",
               ratios);
  add_remarks(from, into);
}

}  // namespace calib
