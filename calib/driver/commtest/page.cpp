// The result of COMMTEST as a page: the protocols that swap most against the packet count, alpha
// and beta of all protocols, and what pairs of processes cost each other.
#include <calib/driver/commtest/charts.hpp>
#include <calib/driver/measure/measured_page.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace calib {
namespace {

// A name for files: "times-shm-0-1-131072-initialised".
std::string file_name(const char* what, const std::string& transport, const std::string& rest) {
  std::string out = format("{}-{}-{}", what, transport, rest);
  std::ranges::replace_if(
      out, [](char c) { return c == '/' || c == ':' || c == '+'; }, '-');
  return out;
}

std::string lines_of(const std::vector<std::string>& sentences) {
  std::string out;
  for (const std::string& one : sentences) out += (out.empty() ? "" : "\n") + one;
  return out;
}

const commtest_point* point_at(const commtest_row& in, unsigned packets) {
  const auto found = std::ranges::find(in.points, packets, &commtest_point::packets);
  return found == in.points.end() ? nullptr : &*found;
}

// A row for each packet count, and columns for the best protocols of each layer.
grid packet_grid(const commtest_group& of, const std::vector<unsigned>& packets) {
  commtest_rows best;
  for (const commtest_rows& layer : of.layers)
    for (const bool ordered : {false, true})
      if (const commtest_row* const row = most_bandwidth(layer, ordered)) best.push_back(row);
  grid out(false);
  std::vector<cell> names, units;
  for (const commtest_row* row : best) {
    names.insert(names.end(),
                 {title(format("{} {} {}", row->layer.name, row->by->name, name_of(row->set))),
                  title(""), title("")});
    units.insert(units.end(), {title("us"), title("model us"), title("GB/s")});
  }
  out.add("", std::move(names), true);
  out.add("packets", std::move(units), true);
  for (const unsigned count : packets) {
    std::vector<cell> cells;
    for (const commtest_row* row : best) {
      const commtest_point* const at = point_at(*row, count);
      cells.push_back(at == nullptr ? cell{} : cell_of(divided(at->time.over_runs, 1000)));
      cells.push_back({number(model_time(*row, count) / 1000), "", ""});
      cells.push_back(at == nullptr ? cell{} : cell_of(one_way_bandwidth(*row, *at)));
    }
    out.add(format("{}", count), std::move(cells));
  }
  return out;
}

grid protocol_grid(const commtest_group& of, const char* unit,
                   commtest_figure commtest_row::*figure) {
  grid out(false);
  std::vector<cell> titles;
  for (const commtest_rows& layer : of.layers)
    for (const swap_set set : swap_sets)
      titles.push_back(title(format("{} {}", layer.front()->layer.name, name_of(set))));
  out.add(unit, std::move(titles), true);
  for (const swap_protocol& by : swap_protocols()) {
    std::vector<cell> cells;
    for (const commtest_rows& layer : of.layers)
      for (const swap_set set : swap_sets) {
        const auto row = std::ranges::find_if(
            layer, [&](const commtest_row* one) { return one->by == &by && one->set == set; });
        cells.push_back(row == layer.end() ? cell{} : cell_of(((*row)->*figure).over_runs));
      }
    out.add(by.name, std::move(cells));
  }
  return out;
}

void add_group(const commtest_group& of, const std::vector<unsigned>& packets, html::page& into) {
  const auto name = [&](const char* what) {
    return file_name(what, of.transport, method_of(of.slice));
  };
  into.heading(title_of(of));
  into.picture(lines_of(of.best), packet_charts(of), name("times"), packet_grid(of, packets));
  for (const auto& [what, unit, figure, says] :
       {std::tuple("alpha", "alpha, ns", &commtest_row::alpha,
                   "What a message more costs, by each protocol in sets A and B."),
        std::tuple("beta", "beta, ns/B", &commtest_row::beta,
                   "What a byte more costs, by each protocol in sets A and B.")})
    into.picture(says, std::vector{protocol_chart(of, unit, figure)}, name(what),
                 protocol_grid(of, unit, figure));
}

// Of one volume and cache mode: a line for each pair of processes.
html::dots contention(const std::vector<commtest_group>& all, const commtest_group& like) {
  html::dots out{{}, {}, "GB/s", 0, axis::scale::linear};
  for (const commtest_group& one : all) {
    if (one.transport != like.transport || one.slice.volume != like.slice.volume ||
        one.slice.mode != like.slice.mode)
      continue;
    html::dots::line& line =
        out.lines.emplace_back(html::dots::line{"pair " + one.slice.pairs, {}});
    for (const commtest_rows& layer : one.layers) {
      const std::string& name = layer.front()->layer.name;
      if (std::ranges::find(out.series, name) == out.series.end()) out.series.push_back(name);
      if (const commtest_row* const row = most_bandwidth(layer, false))
        line.shown.push_back({place_of(out.series, name), row->bandwidth.over_runs});
    }
  }
  return out;
}

// "am-shm: 0.48 times as much in pair 0-2+1-3 as in pair 0-2".
std::string loss_of(const html::dots& shown) {
  std::string out;
  for (const html::dot& last : shown.lines.back().shown)
    for (const html::dot& before : shown.lines[shown.lines.size() - 2].shown)
      if (last.series == before.series)
        out += format("\n{}: {} times as much in {} as in {}.", shown.series[last.series],
                      number(last.value.median / before.value.median), shown.lines.back().name,
                      shown.lines[shown.lines.size() - 2].name);
  return out;
}

void add_contention(const std::vector<commtest_group>& all, html::page& into) {
  for (const commtest_group& one : all) {
    const html::dots shown = contention(all, one);
    if (shown.lines.size() < 2 || shown.lines.front().name != "pair " + one.slice.pairs) continue;
    const std::string what =
        format("{}-{}", volume_name(one.slice.volume), name_of(one.slice.mode));
    into.heading(format("Pairs of processes: {}, {}, {}", one.transport,
                        volume_name(one.slice.volume), name_of(one.slice.mode)));
    into.picture("The swap bandwidth of the unordered protocol that swaps most." + loss_of(shown),
                 shown, file_name("pairs", one.transport, what), grid_of(shown));
  }
}

}  // namespace

void add_pictures(const commtest_result& from, html::page& into) {
  const std::vector<commtest_group> all = groups_of(from);
  add_contention(all, into);
  for (const commtest_group& one : all) add_group(one, from.scope.packets, into);
}

html::page page_of(const commtest_result& from) {
  html::page out = begin_page("Protocols by which two processes swap data", from);
  out.paragraph(
      format("Medians over {}{}. Dashed lines are alpha N + beta V. A protocol is "
             "unordered where both processes send at once, busy; of ordered ones one "
             "direction is idle.",
             rounds_text(from),
             median_ranks(from.rounds) ? ", and the intervals that hold them with 95 %" : ""));
  add_pictures(from, out);
  end_page(from, json_of(from), out);
  return out;
}

}  // namespace calib
