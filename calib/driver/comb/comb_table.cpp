#include <calib/driver/comb/charts.hpp>

#include <calib/driver/measure/machine.hpp>
#include <calib/driver/output/grid.hpp>
#include <calib/format.hpp>

namespace calib {
namespace {

std::string verdicts_of(const comb_result& from) {
  std::string out;
  for (const comb_layer& layer : from.layers) {
    out += format("\n{} over {}\n", layer.layer.name, layer.layer.transport);
    for (const std::string& line : layer.verdicts) out += format("  {}\n", line);
  }
  return out;
}

}  // namespace

std::string explanation_of(const comb_result& from) {
  std::string out =
      format("\n  Medians of {}{}.\n", rounds_text(from),
             median_ranks(from.rounds) ? ", and the intervals that hold them with 95 %" : "");
  out +=
      "  Bandwidth is of both directions together, KB are 1000 bytes, and intervals and work are\n"
      "  in iterations of a loop that uses registers alone. avail. is the time of the work alone "
      "by\n"
      "  that of the same work with messages. The peak is the bandwidth without work, and merit "
      "is\n"
      "  the area under bandwidth, as a share of it, over availability: 1 where messages cost the\n"
      "  processor nothing, 0.5 where it either works or moves messages. offload is the part of "
      "the\n"
      "  wait that vanishes behind work.\n";
  return out;
}

std::string table_of(const comb_result& from, const terminal::look& how) {
  std::string out = headline(from.machine);
  out += polling_tables(from, how.colour) + pww_tables(from, how.colour);
  out += drawn_curves(from, how) + verdicts_of(from);
  out += explanation_of(from) + stopped_text(from);
  return out + remark_lines(from.remarks) + warning_lines(from.unfit, how.colour) +
         warning_lines(from.failed, how.colour);
}

}  // namespace calib
