// am-messages: libam's two-sided messages, measured by the same code as MPI's
// (two_sided_probes.hpp), over the transport that AM_TRANSPORT names. Started by `am-run -n 2`.
#include <am/am.hpp>
#include <calib/layers/two_sided_am.hpp>
#include <calib/layers/two_sided_probes.hpp>
#include <calib/program/cpu.hpp>
#include <calib/program/report.hpp>

#include <string>

int main(int argc, char** argv) try {
  using namespace calib;
  am::endpoint ep = am::join(argc, argv);
  const options opts = parse(argc, argv);
  if (ep.ranks() != 2) report::fault("needs 2 ranks, has " + std::to_string(ep.ranks()));
  const int rank = static_cast<int>(ep.rank());
  pin(rank);
  if (rank == 0) report::note("version", std::string("libam ") + am_version());
  two_sided_am library(ep);
  measure_two_sided(library, rank == 0 ? side::requester : side::responder, opts);
  if (rank == 0) report::done();
} catch (const am::error& error) {
  calib::report::fault(error.what());
}
