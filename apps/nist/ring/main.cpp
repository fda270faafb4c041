// The ring of NISTIR 4630: every rank depends on all others.
//
// Each rank originates messages, the next one when it has taken the one before out of the ring. A
// message visits all ranks in their order, each of which computes with its data and sends it on;
// the last of them is its originator. A rank sends when the next one has acknowledged the message
// before.
#include "../../common/nist_program.hpp"

namespace {

using namespace apps;
using namespace apps::nist;

enum parameter_number { messages, length, compute };

// One of each originator is under way.
struct message {
  rank_id originator;
  std::uint64_t number;  // of those that it has originated
  std::vector<word> data;
};

class ring {
 public:
  ring(job& w, const options& from, std::size_t)
      : ep_(w.endpoint()),
        messages_(from.parameters[messages]),
        compute_(from.parameters[compute]),
        next_((w.rank() + 1) % w.ranks()),
        // All that can be under way, and the one that this rank is sending on.
        queue_(w.ranks() + 1, message{0, 0, std::vector<word>(from.parameters[length])}),
        due_(w.ranks(), 0),
        base_(first_words(from.seed, w.rank(), from.parameters[length])),
        result_(base_) {
    compute_results();
    ep_.set_context(this);
  }
  ~ring() { ep_.set_context(nullptr); }
  ring(const ring&) = delete;
  ring& operator=(const ring&) = delete;

  static std::string refusal(job& w, const options& from) {
    return length_refusal(w, from.parameters[length]);
  }

  void run(phases& times, own_counts&) {
    times.begin("circulate");
    originate();
    for (std::uint64_t visit = 0; visit < messages_ * ep_.ranks(); ++visit) {
      ep_.wait([&] { return arrived_ != taken_; });
      visit_by(queue_[taken_ % queue_.size()]);
      ++taken_;
    }
    ep_.wait([&] { return acknowledged_ == sent_; });
  }

  [[nodiscard]] bool check() const {
    const std::uint64_t visits = messages_ * ep_.ranks();
    return wrong_ == 0 && returned_ == messages_ && taken_ == visits && arrived_ == visits &&
           sent_ == visits && acknowledged_ == visits;
  }
  [[nodiscard]] std::vector<named_count> checked() const {
    return {{"circuits", returned_}, {"visits", taken_}, {"acknowledgements", acknowledged_}};
  }

 private:
  // What the data of message 0 is after a circuit, and by how much that of the next one is more.
  void compute_results() {
    const multiplication visited(compute_);
    for (rank_id step = 1; step <= ep_.ranks(); ++step) {
      const word addend = addend_of((ep_.rank() + step) % ep_.ranks());
      for (word& datum : result_) datum = visited(datum, addend);
      increment_ = visited(increment_, 0);
    }
  }
  static word addend_of(rank_id rank) { return rank + 1; }

  void originate() {
    message made{ep_.rank(), originated_++, base_};
    for (word& datum : made.data) datum += made.number;
    send(made);
  }

  void send(const message& one) {
    ep_.wait([&] { return acknowledged_ == sent_; });
    ++sent_;
    ep_.request<arrive>(next_, std::as_bytes(std::span(one.data)), one.originator, one.number);
  }

  void visit_by(message& one) {
    for (word& datum : one.data) datum = multiplied(datum, addend_of(ep_.rank()), compute_);
    if (one.originator != ep_.rank()) return send(one);
    for (std::size_t i = 0; i < one.data.size(); ++i)
      if (one.data[i] != result_[i] + one.number * increment_) ++wrong_;
    ++returned_;
    if (originated_ < messages_) originate();
  }

  static void arrive(am::request_token t, std::span<const std::byte> data, rank_id originator,
                     std::uint64_t number) {
    ring& self = *t.context<ring>();
    message& here = self.queue_[self.arrived_++ % self.queue_.size()];
    here.originator = originator;
    here.number = number;
    if (number != self.due_[originator]++ || !copy_words(data, here.data)) ++self.wrong_;
    t.reply<acknowledge>();
  }
  static void acknowledge(am::reply_token t) { ++t.context<ring>()->acknowledged_; }

  am::endpoint& ep_;
  const std::uint64_t messages_;
  const std::size_t compute_;
  const rank_id next_;
  std::vector<message> queue_;  // a ring buffer: from taken_ to arrived_
  std::uint64_t arrived_ = 0;
  std::uint64_t taken_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t originated_ = 0;
  std::uint64_t returned_ = 0;
  std::uint64_t wrong_ = 0;
  std::vector<std::uint64_t> due_;  // of each originator: the number of its next message
  const std::vector<word> base_;    // the data of message 0
  std::vector<word> result_;
  word increment_ = 1;
};

}  // namespace

int main(int argc, char** argv) {
  return nist_main<ring>(
      {{"ring", 0, 0, 0, "messages a rank"},
       "Passes messages around a ring of all ranks, which all compute with them.",
       {"comm", "comp"},
       {{"messages", "messages that each rank originates", {70, 10}},
        {"length", "words of a message", {128, 128}},
        {"compute", "multiplications of a rank for each word", {1, 100}}}},
      argc, argv);
}
