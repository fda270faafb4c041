#include <calib/driver/html/labels.hpp>

#include <algorithm>

namespace calib::html {
namespace {

constexpr double line_height = 9;  // per cent of a chart

}  // namespace

void set_apart(std::vector<end_label>& labels) {
  std::ranges::stable_sort(labels, {}, &end_label::top);
  for (std::size_t i = 1; i < labels.size(); ++i)
    labels[i].top = std::max(labels[i].top, labels[i - 1].top + line_height);
  double most = 100;
  for (std::size_t i = labels.size(); i-- > 0; most -= line_height) {
    labels[i].top = std::min(labels[i].top, most);
    most = labels[i].top;
  }
}

}  // namespace calib::html
