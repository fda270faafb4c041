// COMB's polling method: messages go to and fro between two processes (comb_queue.hpp); the worker
// polls for them between pieces of work of one length, its interval.
//
// Reported (report.hpp) for each interval, under polling/BYTES/DEPTH/INTERVAL/…:
//   dry    a piece of work alone
//   piece  the same with its poll, while messages flow
//   bytes  that moved meanwhile, in both directions together; of a piece
#pragma once

#include <calib/program/comb_queue.hpp>
#include <calib/program/work_loop.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace calib {

// As the names of probes have them.
inline std::string comb_name(const char* method, std::size_t bytes, unsigned depth,
                             std::uint64_t iterations) {
  return std::string(method) + '/' + std::to_string(bytes) + '/' + std::to_string(depth) + '/' +
         std::to_string(iterations);
}

template <comb_messages Library, probe::processor_like Processor, class Sink>
class comb_polling {
 public:
  comb_polling(Library& library, const Processor& cpu, Sink& sink, const sample_plan& plan,
               std::size_t bytes, unsigned depth)
      : queue_(library, comb_support, bytes, depth),
        cpu_(cpu),
        sink_(sink),
        plan_(plan),
        bytes_(bytes),
        depth_(depth) {}

  // An interval of 0 is no work at all.
  void measure(std::uint64_t interval) {
    const std::string name = comb_name("polling", bytes_, depth_, interval);
    sink_.begin(name);
    const std::uint64_t pieces = trial(interval);
    std::vector<double> dry, piece, bytes;
    for (unsigned i = 0; i < plan_.samples; ++i) {
      const auto count = static_cast<double>(pieces);
      dry.push_back(time_work(cpu_, interval, pieces) / count);
      std::uint64_t messages = 0;
      piece.push_back(run(interval, pieces, messages) / count);
      // Each one that arrives has one that goes.
      bytes.push_back(static_cast<double>(2 * messages * bytes_) / count);
    }
    if (!queue_.intact()) sink_.report_loss(name);
    sink_.values(name + "/dry", dry);
    sink_.values(name + "/piece", piece);
    sink_.values(name + "/bytes", bytes);
  }

 private:
  // How many pieces make a sample. It also warms everything up.
  std::uint64_t trial(std::uint64_t interval) {
    std::uint64_t pieces = 0;
    queue_.open();
    const std::uint64_t start = cpu_.now();
    do {
      cpu_.compute(interval);
      queue_.poll();
      ++pieces;
    } while (cpu_.ns(cpu_.now() - start) < plan_.sample_ns);
    queue_.close();
    return std::max<std::uint64_t>(pieces, 3);
  }

  double run(std::uint64_t interval, std::uint64_t pieces, std::uint64_t& messages) {
    queue_.open();
    const double ns = probe::time_once(cpu_, [&] {
      for (std::uint64_t i = 0; i < pieces; ++i) {
        cpu_.compute(interval);
        messages += queue_.poll();
      }
    });
    queue_.close();
    return ns;
  }

  comb_queue<Library> queue_;
  const Processor& cpu_;
  Sink& sink_;
  sample_plan plan_;
  std::size_t bytes_;
  unsigned depth_;
};

// The other process, of `intervals` such intervals.
template <comb_messages Library, class Sink>
void serve_polling(Library& library, Sink& sink, const sample_plan& plan, std::size_t bytes,
                   unsigned depth, std::size_t intervals) {
  comb_queue<Library> queue(library, comb_worker, bytes, depth);
  for (std::size_t i = 0; i < intervals * (plan.samples + 1); ++i) {
    queue.open();
    queue.serve();
    if (!queue.intact()) sink.report_loss("polling");
  }
}

}  // namespace calib
