// RFC 4180: commas, a header, and quotes where they are needed. An unknown value is an empty field.
// Every row has the schema, because the format has no other place for it.
#include <calib/driver/export/exports.hpp>
#include <calib/driver/output/encoding.hpp>
#include <calib/format.hpp>

#include <optional>
#include <string>

namespace calib {
namespace {

constexpr char header[] =
    "schema,group,name,parameter,operation,bytes,median,low,high,unit,n,reached,remark,line_ns,"
    "slow_ranks\n";

// The rows of a layer. The condition that its figures are of ends each; empty: they are of all
// samples.
class csv_rows {
 public:
  csv_rows(const layer_profile& of, const std::optional<line_condition>& condition)
      : begin_(format("am-profile/1,{},{}", is_ours(of.layer) ? "transports" : "layers",
                      csv_field(of.name()))),
        end_(condition && !of.of_all_conditions ? end_of(*condition) : ",") {}

  // `piece`: the fields operation and bytes, if the value has them.
  void add(const logp::parameter& p, const char* unit, const std::string& piece = ",") {
    const auto end = [&](double estimate::bounds::*which) {
      return p.value && p.value->interval ? format("{}", *p.value->interval.*which) : "";
    };
    text_ += format("{},{},{},{},{},{},{},{},{},{},{}\n", begin_, p.name, piece,
                    p.value ? format("{}", p.value->median) : "", end(&estimate::bounds::low),
                    end(&estimate::bounds::high), unit, p.value ? p.value->n : 0, p.reached(),
                    csv_field(p.remark), end_);
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  static std::string end_of(const line_condition& one) {
    std::string out = format("{},", one.line_ns);
    for (const unsigned rank : one.slow_ranks)
      out += format("{}{}", rank == one.slow_ranks.front() ? "" : "+", rank);
    return out;
  }

  std::string begin_;
  std::string end_;
  std::string text_;
};

std::string rows_of(const layer_profile& from, const std::optional<line_condition>& condition) {
  csv_rows out(from, condition);
  for (const logp::parameter& p : from.logp.parameters) out.add(p, "ns");
  for (const loggp_cost& one : from.loggp) {
    const std::string piece = csv_field(one.operation) + ',';
    out.add({"G", one.G, ""}, "ns/B", piece);
    out.add({"g0", one.g0, ""}, "ns", piece);
  }
  for (const sized_cost& one : from.sizes) {
    const std::string piece = format("{},{}", csv_field(one.operation), one.bytes);
    out.add({"o", one.o, ""}, "ns", piece);
    out.add({"g", one.g, ""}, "ns", piece);
    out.add({"T", one.T, ""}, "ns", piece);
    if (one.g_uncached) out.add({"g_uncached", one.g_uncached, ""}, "ns", piece);
    out.add(one.bandwidth(), "GB/s", piece);
  }
  return out.text();
}

}  // namespace

std::string csv_of(const profile& from) {
  std::string out = header;
  for (const layer_profile& one : from.layers) out += rows_of(one, from.condition);
  return out;
}

}  // namespace calib
