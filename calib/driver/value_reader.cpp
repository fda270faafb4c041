#include <calib/driver/value_reader.hpp>
#include <calib/format.hpp>

namespace calib {

std::optional<estimate> value_from(const json_field& from, const std::string& unit) {
  if (from["unit"].text() != unit) from["unit"].expected('"' + unit + '"');
  (void)from["reached"].truth();
  estimate out;
  out.n = from["n"].count();
  const json_field low = from["low"];
  const json_field high = from["high"];
  if (from["median"].is_null()) return std::nullopt;
  out.median = from["median"].number();
  if (low.is_null() && high.is_null()) return out;
  out.interval = estimate::bounds{low.number(), high.number()};
  if (out.interval->low > out.median) low.expected(format("at most the median, {}", out.median));
  if (out.interval->high < out.median) high.expected(format("at least the median, {}", out.median));
  return out;
}

estimate known_from(const json_field& from, const std::string& unit) {
  const std::optional<estimate> value = value_from(from, unit);
  if (!value) from["median"].expected("a number");
  return value.value_or(estimate{});
}

}  // namespace calib
