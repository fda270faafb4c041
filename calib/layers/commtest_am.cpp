// commtest-am: COMMTEST over libam's two-sided messages. Started by `am-run -n 2`, or -n 4 where
// the pair is not 0-1.
#include <am/am.hpp>
#include <calib/layers/two_sided_am.hpp>
#include <calib/program/commtest/launch.hpp>

#include <string>

int main(int argc, char** argv) try {
  using namespace calib;
  am::endpoint ep = am::join(argc, argv);
  const commtest_options opts = parse_commtest(argc, argv);
  const int rank = static_cast<int>(ep.rank());
  check_processes(static_cast<int>(ep.ranks()), opts);
  pin_evenly(rank, opts.processes());
  if (rank == 0) report::note("version", std::string("libam ") + am_version());
  {
    am::team whole(ep);
    two_sided_am all(ep);
    run_commtest(all, opts, [&](bool swaps) { return two_sided_am(whole.split(swaps ? 1 : 0)); });
  }
  ep.close();
  if (rank == 0) report::done();
} catch (const am::error& error) {
  calib::report::fault(error.what());
}
