#include <calib/driver/suite/sensitivity.hpp>

#include <iterator>

namespace calib::suite {
namespace {

constexpr double tenth = 0.1;

}  // namespace

bool sensitivity::is_visible() const {
  return model.most(base, points.back().value) > (1 + tenth) * base;
}

std::optional<sensitivity::departure> sensitivity::departs() const {
  const auto side = [](const point& p) {
    const auto [low, high] = p.ns.interval.value_or(estimate::bounds{p.ns.median, p.ns.median});
    if (p.ns.median > (1 + tenth) * p.most && low > p.most) return 1;
    return p.ns.median < (1 - tenth) * p.least && high < p.least ? -1 : 0;
  };
  const point& last = points.back();
  if (side(last) == 0) return std::nullopt;
  auto first = std::prev(points.end());
  while (first != points.begin() && side(*std::prev(first)) == side(last)) --first;
  return departure{first->value, last.ns.median / (side(last) > 0 ? last.most : last.least)};
}

}  // namespace calib::suite
