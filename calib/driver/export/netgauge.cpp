// netgauge's pattern `loggp` measures PRTT(n, d, s), a parametrised round trip: n messages of s
// bytes, d apart, and one of s bytes back. What it would have measured is computed from T, g and o
// of stores, or of the operation that a layer has instead. Its readers compute o = (PRTT(n, d, s) -
// PRTT(1, 0, s)) / (n - 1) - d from it, and the gap in the same way. Its times are microseconds.
#include <calib/driver/export/exports.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace calib {
namespace {

constexpr double messages = 10;  // n, as in netgauge
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::vector<sized_cost> pieces_of(const layer_profile& from) {
  std::vector<sized_cost> out;
  for (const sized_cost& one : from.sizes)
    if (one.operation == from.loggp.front().operation) out.push_back(one);
  return out;
}

// Null: no segment has this size.
const logp::gap_segment* segment_at(const layer_profile& from, std::size_t bytes) {
  const auto at = static_cast<double>(bytes);
  for (const logp::gap_segment& one : from.loggp.front().segments)
    if (one.from <= at && at <= one.to) return &one;
  return nullptr;
}

// The deviation of the gaps from their segment: unknown for two points, which always fit.
double deviation(const logp::gap_segment& segment, const std::vector<sized_cost>& pieces) {
  double sum = 0;
  double count = 0;
  for (const sized_cost& one : pieces) {
    const auto at = static_cast<double>(one.bytes);
    if (at < segment.from || at > segment.to) continue;
    sum += std::pow(segment.g0 + at * segment.G - one.g.median, 2);
    ++count;
  }
  return count < 3 ? unknown : std::sqrt(sum / (count - 2));
}

std::string us(double ns) { return format(" {:.9f}", ns / 1000); }

std::string row_of(const layer_profile& from, const sized_cost& one,
                   const std::vector<sized_cost>& pieces) {
  const double there_and_back = 2 * one.T.median;
  const double many = there_and_back + (messages - 1) * one.g.median;
  const double apart = there_and_back + (messages - 1) * (one.o.median + there_and_back);
  const std::optional<estimate>& received = from.logp["o_r"].value;
  std::string out = format("{} {}", one.bytes, messages) + us(there_and_back) + us(many) +
                    us(apart) + us(pieces.front().T.median) + us(one.o.median) +
                    us(received ? received->median : unknown);
  const logp::gap_segment* segment = segment_at(from, one.bytes);
  if (segment == nullptr) return out + us(unknown) + us(unknown) + us(unknown) + '\n';
  return out + us(segment->g0) + us(segment->G) + us(deviation(*segment, pieces)) + '\n';
}

// Two empty lines separate what gnuplot calls an index; a layer without a table has no index.
std::string table_of(const layer_profile& from) {
  if (from.loggp.empty()) return format("# {}: no pieces of data were measured\n", from.name());
  std::string out = format(
      "\n\n# {}: {}\n"
      "# size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s o_r g G lsqu(g,G)\n",
      from.name(), from.loggp.front().operation);
  const std::vector<sized_cost> pieces = pieces_of(from);
  for (const sized_cost& one : pieces) out += row_of(from, one, pieces);
  return out;
}

}  // namespace

std::string netgauge_of(const profile& from) {
  std::string out = head_of(from);
  out +=
      "# As netgauge's loggp writes it, in us, made of medians: PRTT follows from T, g and o.\n"
      "# L is half of the smallest PRTT(1,0,s), overheads and all, as netgauge has it; o_r is of "
      "four words\n# at every size.\n";
  for (const layer_profile& one : from.layers) out += table_of(one);
  return out;
}

}  // namespace calib
