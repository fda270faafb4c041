#include <calib/driver/commtest/groups.hpp>

#include <calib/format.hpp>

#include <algorithm>

namespace calib {

const commtest_row* most_bandwidth(const commtest_rows& of, bool ordered) {
  const commtest_row* out = nullptr;
  for (const commtest_row* one : of)
    if (one->by->ordered == ordered &&
        (out == nullptr || one->bandwidth.of_least > out->bandwidth.of_least))
      out = one;
  return out;
}

std::vector<commtest_rows> layers_and_slices(const std::vector<commtest_row>& rows) {
  std::vector<commtest_rows> out;
  for (const commtest_row& row : rows) {
    if (out.empty() || out.back().front()->layer != row.layer ||
        out.back().front()->slice != row.slice)
      out.emplace_back();
    out.back().push_back(&row);
  }
  return out;
}

std::vector<commtest_group> groups_of(const commtest_result& from) {
  std::vector<commtest_group> out;
  const std::vector<commtest_rows> all = layers_and_slices(from.rows);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const commtest_row& first = *all[i].front();
    auto at = std::ranges::find_if(out, [&](const commtest_group& one) {
      return one.transport == first.layer.transport && one.slice == first.slice;
    });
    if (at == out.end()) at = out.insert(at, {first.layer.transport, first.slice, {}, {}});
    at->layers.push_back(all[i]);
    at->best.push_back(from.best[i]);
  }
  return out;
}

std::string title_of(const commtest_group& of) {
  return format("{}, pair {}, {}, {}", of.transport, of.slice.pairs, volume_name(of.slice.volume),
                name_of(of.slice.mode));
}

}  // namespace calib
