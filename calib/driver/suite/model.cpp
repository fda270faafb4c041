#include <calib/driver/suite/model.hpp>

#include <algorithm>
#include <bit>

namespace calib::suite {
namespace {

constexpr double fragment_bytes = 4096;  // into which AM_DIAL cuts messages by default

// Each end of a message is a processor's; a get by a copy has one.
double overhead(const load& of, const run_form& form, bool sending, bool receiving) {
  const double gets = form.has_direct_gets ? of.gets : 0;
  return (sending ? of.sent + gets : 0) + (receiving ? of.handled : 0);
}

double gap(const load& of, const run_form& form, bool sending, bool receiving) {
  const double gets = form.has_direct_gets ? of.gets : 0;
  const double bytes = of.bytes + (form.has_direct_gets ? of.get_bytes : 0);
  const double one_way = std::max(sending ? of.sent + gets : 0, receiving ? of.handled : 0);
  return one_way + bytes / fragment_bytes;
}

// A read is a way there and back, and a barrier one way for each round of messages.
double latency(const load& of, const run_form& form) {
  const auto rounds = std::bit_width(form.ranks - 1);
  return 2 * of.reads + rounds * of.barriers;
}

}  // namespace

model model_of(std::string_view dial, const load& of, const run_form& form) {
  if (dial == "L") return {latency(of, form), false};
  if (dial == "G") return {of.bytes + (form.has_direct_gets ? of.get_bytes : 0), true};
  const bool sending = !dial.ends_with("_r");
  const bool receiving = !dial.ends_with("_s");
  if (dial.starts_with('o')) return {overhead(of, form, sending, receiving), false};
  return {gap(of, form, sending, receiving), true};
}

}  // namespace calib::suite
