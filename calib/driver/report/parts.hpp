// The parts of the report that are no profiles. Each reads its document; where that is not as
// expected, the document's fault says so, and the page is not used.
#pragma once

#include <calib/driver/html/page.hpp>
#include <calib/driver/measure/measurement.hpp>
#include <calib/driver/output/json_field.hpp>

#include <string>

namespace calib {

void add_peers(const json_field& whole, html::page& into);
void add_comb(const json_field& whole, html::page& into);
void add_commtest(const json_field& whole, html::page& into);
void add_dials(const json_field& whole, html::page& into);
void add_suite(const json_field& whole, html::page& into);
void add_states(const json_field& whole, html::page& into);
void add_dilation(const json_field& whole, html::page& into);

// ---- what several of them have ----

// The machine and the conditions; false: there is a fault.
bool read_measurement(const json_field& whole, measurement& into);
// The machine, and what makes the figures unfit for use; what is missing, and remarks.
void add_head(const measurement& from, html::page& into);
void add_warnings(const measurement& from, html::page& into);
void add_remarks(const measurement& from, html::page& into);

// A measured value whose unit the file names.
struct measured_value {
  std::optional<estimate> is;  // none: a remark says why
  std::string unit;
};
measured_value read_measured(const json_field& from);

// A part of the whole as per cent.
estimate percent(const estimate& part);

// The unit of times that stand together: ms, us or ns, by the largest of them.
class time_unit {
 public:
  void include(const estimate& ns);
  [[nodiscard]] std::string name() const;
  [[nodiscard]] estimate of(const estimate& ns) const;

 private:
  double most_ = 0;  // ns
};

// How much a file may have of what makes rows and columns; no measurement has half as much.
inline constexpr std::size_t most_rows = 5000;
inline constexpr std::size_t most_names = 32;  // of layers, transports, probes, dials
inline constexpr std::size_t most_curves = 100;
inline constexpr std::size_t most_points = 64;

// A name for files: every character that is not a letter, digit or dot becomes a dash.
std::string file_name(std::string text);

}  // namespace calib
