// COMB's post-work-wait: both processes post a batch of receives and sends; the worker then works
// without a call of the library, and waits for the batch. On request the work has one test in its
// middle.
//
// Reported (report.hpp) for each amount of work, under pww/BYTES/DEPTH/WORK/… or pww-test/…:
//   dry                     the work alone
//   post  work  test  wait  the phases of a batch; test of pww-test only
#pragma once

#include <calib/program/comb_messages.hpp>
#include <calib/program/comb_polling.hpp>
#include <calib/program/work_loop.hpp>
#include <calib/statistics.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace calib {

// A batch: as many receives as sends.
template <comb_messages Library>
class comb_batch {
 public:
  comb_batch(Library& library, int peer, std::size_t bytes, unsigned depth)
      : library_(library),
        peer_(peer),
        bytes_(bytes),
        depth_(depth),
        out_(bytes * depth),
        in_(bytes * depth) {}

  void post() {
    requests_.clear();
    for (unsigned i = 0; i < depth_; ++i)
      requests_.push_back(library_.irecv(peer_, 0, &in_[i * bytes_], bytes_));
    for (unsigned i = 0; i < depth_; ++i) {
      write_number(&out_[i * bytes_], first_ + i);
      requests_.push_back(library_.isend(peer_, 0, &out_[i * bytes_], bytes_));
    }
  }
  void test() { (void)library_.test(requests_.front()); }
  void wait() { library_.wait_all(requests_); }

  // After each wait, outside what is timed. A message's number is one of all batches, so that what
  // an earlier one has left in its place is seen.
  void check() {
    for (unsigned i = 0; i < depth_; ++i)
      if (read_number(&in_[i * bytes_]) != first_ + i) intact_ = false;
    first_ += depth_;
  }
  // Every message so far arrived whole and in its order.
  [[nodiscard]] bool intact() const { return intact_; }

 private:
  Library& library_;
  int peer_;
  std::size_t bytes_;
  unsigned depth_;
  std::uint64_t first_ = 0;  // the number of the first message of this batch
  bool intact_ = true;
  std::vector<std::byte> out_, in_;
  std::vector<typename Library::request> requests_;
};

inline constexpr double comb_trial_batches = 3;

template <comb_messages Library, probe::processor_like Processor, class Sink>
class comb_pww {
 public:
  comb_pww(Library& library, const Processor& cpu, Sink& sink, const sample_plan& plan,
           std::size_t bytes, unsigned depth)
      : library_(library),
        batch_(library, comb_support, bytes, depth),
        cpu_(cpu),
        sink_(sink),
        plan_(plan),
        bytes_(bytes),
        depth_(depth) {}

  void measure(std::uint64_t work, bool with_test) {
    const std::string name = comb_name(with_test ? "pww-test" : "pww", bytes_, depth_, work);
    sink_.begin(name);
    const phases trial = run(work, with_test, library_.max(comb_trial_batches));
    const double ns = trial.post + trial.work + trial.test + trial.wait;
    const double count = library_.max(static_cast<double>(plan_.count_for(ns, 200)));
    std::vector<double> dry, post, worked, test, wait;
    for (unsigned i = 0; i < plan_.samples; ++i) {
      dry.push_back(time_alone(work, count));
      const phases usual = run(work, with_test, count);
      post.push_back(usual.post);
      worked.push_back(usual.work);
      test.push_back(usual.test);
      wait.push_back(usual.wait);
    }
    if (!batch_.intact()) sink_.report_loss(name);
    sink_.values(name + "/dry", dry);
    sink_.values(name + "/post", post);
    sink_.values(name + "/work", worked);
    if (with_test) sink_.values(name + "/test", test);
    sink_.values(name + "/wait", wait);
  }

 private:
  struct phases {
    double post = 0, work = 0, test = 0, wait = 0;
  };

  template <class What>
  double time(What&& what) {
    return std::max(probe::time_once(cpu_, what) - cpu_.cost_ns(), 0.0);
  }
  // In two halves, between which there may be a call.
  double time_work_of(std::uint64_t work) {
    return time([&] {
      cpu_.compute(work / 2);
      cpu_.compute(work - work / 2);
    });
  }

  // The work alone, of one batch.
  double time_alone(std::uint64_t work, double count) {
    std::vector<double> found;
    for (double i = 0; i < count; ++i) found.push_back(time_work_of(work));
    return median(std::move(found));
  }

  // The medians of `count` batches. The processes begin each one together.
  phases run(std::uint64_t work, bool with_test, double count) {
    std::vector<double> post, worked, test, wait;
    for (double i = 0; i < count; ++i) {
      library_.barrier();
      post.push_back(time([&] { batch_.post(); }));
      if (with_test) {
        const double first = time([&] { cpu_.compute(work / 2); });
        test.push_back(time([&] { batch_.test(); }));
        worked.push_back(first + time([&] { cpu_.compute(work - work / 2); }));
      } else {
        test.push_back(0);
        worked.push_back(time_work_of(work));
      }
      wait.push_back(time([&] { batch_.wait(); }));
      batch_.check();
    }
    return {median(std::move(post)), median(std::move(worked)), median(std::move(test)),
            median(std::move(wait))};
  }

  Library& library_;
  comb_batch<Library> batch_;
  const Processor& cpu_;
  Sink& sink_;
  sample_plan plan_;
  std::size_t bytes_;
  unsigned depth_;
};

// The other process, of `works` amounts of work: it posts and waits.
template <comb_messages Library, class Sink>
void serve_pww(Library& library, Sink& sink, const sample_plan& plan, std::size_t bytes,
               unsigned depth, std::size_t works) {
  comb_batch<Library> batch(library, comb_worker, bytes, depth);
  const auto run = [&](double count) {
    for (double i = 0; i < count; ++i) {
      library.barrier();
      batch.post();
      batch.wait();
      batch.check();
    }
    if (!batch.intact()) sink.report_loss("pww");
  };
  for (std::size_t i = 0; i < works; ++i) {
    run(library.max(0));
    const double count = library.max(0);
    for (unsigned sample = 0; sample < plan.samples; ++sample) run(count);
  }
}

}  // namespace calib
