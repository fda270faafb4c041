#include <calib/driver/measure/measured_page.hpp>

#include <calib/driver/measure/machine.hpp>

namespace calib {

html::page begin_page(std::string_view title, const measurement& from) {
  html::page out(title, headline(from.machine));
  for (const auto* lines : {&from.failed, &from.unfit})
    for (const std::string& line : *lines) out.warning(line);
  if (was_stopped(from)) out.warning("Stopped before the end.");
  return out;
}

void end_page(const measurement& from, const std::string& json, html::page& into) {
  for (const auto* lines : {&from.missing, &from.remarks})
    for (const std::string& line : *lines) into.paragraph(line);
  into.data(json);
}

}  // namespace calib
