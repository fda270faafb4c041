// Several processors in one network whose parameters are known, as a simulation of events in
// virtual time. The first is who calls: it leads. Of the others some ask all the time, as many
// requests as their window allows or one by one, and all of them answer, message by message, in the
// order in which these come. What of this is shared, or gets in whose way, can be chosen.
#pragma once

#include <calib/program/validation.hpp>

#include <cstdint>
#include <deque>
#include <queue>
#include <random>
#include <vector>

namespace simulated {

struct crowd_parameters {
  unsigned places;        // even
  double o, L, g;         // ns: engaged at either end, in flight, between messages of one interface
  std::uint64_t window;   // requests of one asker to one receiver without an answer
  double thinking = 0;    // an asker takes so much longer for each request
  double turnaround = 0;  // so does a receiver
  double choosing = 0;    // so does an asker for each of those whom it asks in turn
  double crush = 0;       // so does a receiver while more than a window waits there
  bool one_interface = false;  // all messages leave through the same
  double jitter = 0;           // o is up to this part longer or shorter
  double tick = 1;             // of the clock, in ns
  double reading = 20;         // the clock, in ns
};

class crowd {
 public:
  crowd(const crowd_parameters& real, std::uint64_t seed);

  // ---- the processor that leads ----
  std::uint64_t read_clock();  // in ticks
  void compute(double ns) { now_ += ns; }
  [[nodiscard]] const crowd_parameters& real() const { return real_; }

  // ---- the layer ----
  void form(calib::pattern p, calib::work w);
  void ask();
  void drain();
  void ping() {
    ask();
    drain();
  }
  [[nodiscard]] bool intact() const { return true; }
  [[nodiscard]] unsigned ranks() const { return real_.places; }
  [[nodiscard]] std::uint64_t steady_length() const { return 4 * real_.window; }
  [[nodiscard]] std::uint64_t flood_length() const { return steady_length(); }

 private:
  struct message {
    unsigned from, to;
    bool answer;
  };
  enum class what { leaves, arrives, lands, works };  // works: message.to has time
  struct event {
    double at;
    std::uint64_t order;  // of those at the same time
    what happens;
    message about;
  };
  struct later {
    bool operator()(const event& a, const event& b) const {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };
  struct place {
    double left = -1e30;    // when the last message left the interface
    double landed = -1e30;  // when the last one came in
    bool busy = false;
    std::deque<message> come;
    int asks = -1;  // whom, all the time
    std::uint64_t open = 0;
  };

  void happen(double at, what happens, const message& about);
  void step();
  void leave(double at, const message& m);
  void arrive(double at, const message& m);
  void land(double at, const message& m);
  void work(double at, unsigned who);
  double answer(double at, const message& m);
  void look();
  void wait();
  double engaged();

  crowd_parameters real_;
  std::mt19937_64 random_;
  double now_ = 0;  // of the one that leads
  std::vector<place> places_;
  std::vector<std::uint64_t> open_;  // requests of the one that leads, by receiver
  std::vector<unsigned> asked_;      // in turn
  std::size_t turn_ = 0;
  std::uint64_t others_window_ = 0;  // of the others who ask
  std::priority_queue<event, std::vector<event>, later> events_;
  std::uint64_t orders_ = 0;
};

}  // namespace simulated
