// comb-am: COMB over libam's two-sided messages, as an ordinary program uses them, over the
// transport that AM_TRANSPORT names. Started by `am-run -n 2`.
#include <calib/layers/two_sided_am.hpp>
#include <calib/program/comb.hpp>
#include <calib/program/cpu.hpp>
#include <calib/program/report.hpp>

#include <string>

namespace {

using namespace calib;

void run(am::endpoint& ep, const comb_options& opts) {
  two_sided_am library(ep);
  reporter sink;
  if (ep.rank() == comb_support) return serve_comb(library, sink, opts);
  const processor cpu;
  measure_comb(library, cpu, sink, opts);
}

}  // namespace

int main(int argc, char** argv) try {
  am::endpoint ep = am::join(argc, argv);
  const comb_options opts = parse_comb(argc, argv);
  if (ep.ranks() != 2)
    report::fault("needs 2 processes, has " + std::to_string(ep.ranks()) + ": am-run -n 2");
  pin(static_cast<int>(ep.rank()));
  const bool reports = ep.rank() == comb_worker;
  if (reports) report::note("version", std::string("libam ") + am_version());
  run(ep, opts);
  ep.close();
  if (reports) report::done();
} catch (const am::error& error) {
  report::fault(error.what());
}
