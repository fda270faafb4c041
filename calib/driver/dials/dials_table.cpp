#include <calib/driver/dials/dials_result.hpp>

#include <calib/driver/dials/dial_values.hpp>
#include <calib/driver/measure/machine.hpp>
#include <calib/driver/output/grid.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <utility>

namespace calib {
namespace {

// The columns behind the error: everything else.
std::vector<parameter> others_of(const measured_dial& of) {
  std::vector<parameter> out;
  for (std::size_t i = 0; i < parameter_count; ++i)
    if (const auto one = static_cast<parameter>(i); one != of.changes) out.push_back(one);
  return out;
}

bool keeps(const measured_dial& of, parameter which) {
  return std::ranges::find(of.keeps, which) != of.keeps.end();
}

std::string with_sign(double value) { return format("{}{}", value < 0 ? "" : "+", number(value)); }

// In the unit of the tables: microseconds, and nanoseconds a byte.
double shown(parameter which, double value) { return which == parameter::G ? value : value / 1000; }
const estimate& of(const parameter_estimates& all, parameter which) {
  return all[static_cast<std::size_t>(which)];
}

cell change_cell(const measured_dial& dialled, const dialled_point& point, parameter which) {
  const std::string text = with_sign(shown(which, of(point.changes, which).median));
  return {keeps(dialled, which) ? text : format("({})", text), "", ""};
}

cell error_cell(const dialled_point& point) {
  const std::string text = with_sign(100 * point.error.median);
  cell out{point.judged ? text : format("({})", text), "", ""};
  if (const auto& ends = point.error.interval)
    out.interval = format("{} .. {}", with_sign(100 * ends->low), with_sign(100 * ends->high));
  return out;
}

grid grid_of(const dialled_transport& over, const dialled_dial& from, bool colour) {
  grid out(colour);
  const parameter changed = from.which.changes;
  std::vector<cell> titles = {title(is_added(from.which.name) ? "added" : "at least"),
                              title("seen"), title("error %")};
  std::vector<cell> zero = {
      {}, {number(shown(changed, of(over.zero, changed).median)), "", ""}, {}};
  for (const parameter other : others_of(from.which)) {
    titles.push_back(title(parameter_names[static_cast<std::size_t>(other)]));
    zero.push_back({number(shown(other, of(over.zero, other).median)), "", ""});
  }
  out.add(from.which.name, std::move(titles), true);
  out.add("AM_DIAL=0", std::move(zero));
  for (const dialled_point& point : from.points) {
    std::vector<cell> cells = {{number(shown(changed, point.wanted)), "", ""},
                               {number(shown(changed, point.seen.median)), "", ""},
                               error_cell(point)};
    for (const parameter other : others_of(from.which))
      cells.push_back(change_cell(from.which, point, other));
    out.add("", std::move(cells));
  }
  return out;
}

std::string summary_of(const dialled_dial& from) {
  if (from.judged == 0) return "  no value is twice what there is without a dial\n";
  return format("  mean error {:.2f} %; bias {:+.2f} %, spread {:.2f} %\n", 100 * from.mean_error,
                100 * from.bias, 100 * from.spread);
}

std::string explanation(const dials_result& from) {
  std::string out =
      format("\n  Medians of {}{}. Times in us, G in ns a byte.\n", rounds_text(from),
             median_ranks(from.rounds) ? ", and the interval that holds each error with 95 %" : "");
  out +=
      "  Behind the error stands what changes beside AM_DIAL=0, in brackets where the dial changes "
      "it\n"
      "  too. Errors in brackets are of values less than twice what there is without a dial, and\n"
      "  count in no mean.\n";
  return out + stopped_text(from);
}

}  // namespace

std::string table_of(const dials_result& from, bool colour) {
  std::string out = headline(from.machine);
  for (const dialled_transport& over : from.transports) {
    out += format("\nThe dials over {}\n", transport_of(over.layer).description);
    for (const dialled_dial& one : over.dials)
      out += format("\n{}{}", grid_of(over, one, colour).text(), summary_of(one));
  }
  out += explanation(from);
  return out + remark_lines(from.remarks) + warning_lines(from.off, colour) +
         warning_lines(from.unfit, colour) + warning_lines(from.failed, colour);
}

}  // namespace calib
