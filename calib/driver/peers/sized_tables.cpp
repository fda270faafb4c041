#include <calib/driver/output/grid.hpp>
#include <calib/driver/peers/peers_table.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace calib {
namespace {

template <class Figures, class Is>
const typename Figures::value_type* find(const Figures& figures, Is&& is) {
  const auto found = std::find_if(figures.begin(), figures.end(), is);
  return found == figures.end() ? nullptr : &*found;
}

// One probe in one form over one transport: sizes down, layers across.
class sized_rows {
 public:
  sized_rows(const result& from, const transport& over, std::string probe, std::string form)
      : probe_(std::move(probe)), form_(std::move(form)) {
    std::set<measured_layer> present;
    for (const row& r : from.rows)
      if (r.layer.transport == over.name && r.metric.probe == probe_ && r.metric.form == form_) {
        sizes_.insert(r.metric.bytes);
        present.insert(r.layer);
      }
    std::ranges::copy_if(measured_layers(), std::back_inserter(layers_),
                         [&](const measured_layer& one) { return present.contains(one); });
  }

  [[nodiscard]] const std::set<std::size_t>& sizes() const { return sizes_; }
  [[nodiscard]] const std::vector<measured_layer>& layers() const { return layers_; }
  [[nodiscard]] bool has(const measured_layer& layer) const {
    return std::ranges::find(layers_, layer) != layers_.end();
  }
  [[nodiscard]] metric metric_of(std::size_t bytes) const { return {probe_, form_, bytes}; }

  [[nodiscard]] std::vector<cell> titles() const {
    std::vector<cell> out;
    for (const measured_layer& layer : layers_) out.push_back(title(layer.name));
    return out;
  }

 private:
  std::string probe_;
  std::string form_;
  std::set<std::size_t> sizes_;
  std::vector<measured_layer> layers_;  // in the order of the tables
};

// ---- bulk data: the rates of all layers, then libam's beside the limit ----

bool is_beside_limit(const sized_rows& rows, const measured_layer& layer,
                     const measured_layer& limit) {
  return is_ours(layer) && rows.has(limit);
}

std::vector<cell> bulk_cells(const result& from, const sized_rows& rows,
                             const measured_layer& limit, const metric& metric) {
  std::vector<cell> out;
  for (const measured_layer& layer : rows.layers()) {
    const row* r =
        find(from.rows, [&](const row& x) { return x.layer == layer && x.metric == metric; });
    out.push_back(r == nullptr ? cell{} : cell{number(r->value.median), "", ""});
  }
  for (const measured_layer& layer : rows.layers()) {
    if (!is_beside_limit(rows, layer, limit)) continue;
    const ratio* part = find(from.ratios, [&](const ratio& x) {
      return x.layer == layer && x.against == limit && x.metric == metric;
    });
    const excess* longer = find(
        from.excesses, [&](const excess& x) { return x.layer == layer && x.metric == metric; });
    out.push_back(part == nullptr ? cell{} : cell_of(part->value));
    out.push_back(longer == nullptr ? cell{} : cell_of(longer->ns));
  }
  return out;
}

std::string bulk_table(const result& from, const transport& over, const std::string& probe,
                       const std::string& form, bool colour) {
  const sized_rows rows(from, over, probe, form);
  if (rows.sizes().empty()) return {};
  const measured_layer limit{std::string(over.bulk_limit), std::string(over.name)};
  std::vector<cell> titles = rows.titles();
  for (const measured_layer& layer : rows.layers())
    if (is_beside_limit(rows, layer, limit)) {
      titles.push_back(title(layer.name + " of " + limit.name));
      titles.push_back(title("ns longer"));
    }
  grid out(colour);
  out.add("", std::move(titles), true);
  for (const std::size_t bytes : rows.sizes())
    out.add(size_text(bytes), bulk_cells(from, rows, limit, rows.metric_of(bytes)));
  return format("\n{} over {}, whose reader {} what has come: GB/s\n\n{}",
                probe == "store" ? "Stores" : "Gets", over.description,
                form == "touched" ? "reads every line of" : "does not read", out.text());
}

// ---- mediums: the times of all layers, then libam's beside the best of the others ----

bool is_beside_peers(const sized_rows& rows, const measured_layer& layer) {
  return is_ours(layer) && rows.layers().size() > 1;
}

// The best peer is the one to which libam's ratio is the largest.
cell beside_best(const result& from, const measured_layer& layer, const metric& metric) {
  const ratio* worst = nullptr;
  for (const ratio& x : from.ratios)
    if (x.layer == layer && x.metric == metric &&
        (worst == nullptr || x.value.median > worst->value.median))
      worst = &x;
  if (worst == nullptr) return {};
  cell out = cell_of(worst->value);
  out.interval += (out.interval.empty() ? "of " : "  of ") + worst->against.name;
  return out;
}

std::vector<cell> medium_cells(const result& from, const sized_rows& rows, const metric& metric) {
  std::vector<cell> out;
  for (const measured_layer& layer : rows.layers()) {
    const row* r =
        find(from.rows, [&](const row& x) { return x.layer == layer && x.metric == metric; });
    out.push_back(r == nullptr ? cell{} : cell_of(r->value));
  }
  for (const measured_layer& layer : rows.layers())
    if (is_beside_peers(rows, layer)) out.push_back(beside_best(from, layer, metric));
  return out;
}

std::string medium_table(const result& from, const transport& over, const std::string& form,
                         bool colour) {
  const sized_rows rows(from, over, "medium", form);
  if (rows.sizes().empty()) return {};
  std::vector<cell> titles = rows.titles();
  for (const measured_layer& layer : rows.layers())
    if (is_beside_peers(rows, layer)) titles.push_back(title(layer.name + " of the best peer"));
  grid out(colour);
  out.add("", std::move(titles), true);
  for (const std::size_t bytes : rows.sizes())
    out.add(size_text(bytes), medium_cells(from, rows, rows.metric_of(bytes)));
  return format("\nMediums over {}, {}, every line packed and read: ns a message\n\n{}",
                over.description, form == "oneway" ? "one way" : "both ways at once", out.text());
}

}  // namespace

std::string bulk_tables(const result& from, const transport& over, bool colour) {
  std::string out;
  for (const char* probe : {"store", "get"})
    for (const char* form : {"untouched", "touched"})
      out += bulk_table(from, over, probe, form, colour);
  return out;
}

std::string medium_tables(const result& from, const transport& over, bool colour) {
  return medium_table(from, over, "oneway", colour) + medium_table(from, over, "bothways", colour);
}

}  // namespace calib
