// two-sided-costs-am: two_sided_costs.hpp over libam. am-run -n 2 lib/am/calib/two-sided-costs-am
#include <calib/layers/two_sided_am.hpp>
#include <calib/layers/two_sided_costs.hpp>
#include <calib/program/report.hpp>

#include <string>

int main(int argc, char** argv) {
  am::endpoint ep = am::join(argc, argv);
  if (ep.ranks() != 2) calib::report::fault("needs 2 ranks, has " + std::to_string(ep.ranks()));
  calib::two_sided_am library(ep);
  calib::two_sided_costs(library).measure();
}
