#include <libam/profile/figures.hpp>

#include <libam/base/format.hpp>
#include <libam/base/text.hpp>
#include <libam/profile/json_reader.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace am::detail::profile {
namespace {

constexpr std::string_view profile_schema = "am-profile/1";
constexpr double most_ns = 1e9;  // no message takes longer than a second
constexpr double most_medium_bytes = 1 << 30;

class document_reader {
 public:
  document_reader(std::string_view text, std::string_view transport)
      : in_(text), transport_(transport) {}

  std::string read(document& out) {
    bool has_schema = false;
    bool unfit = false;
    in_.object([&](const std::string& key) {
      if (key == "schema") {
        const std::string found = in_.string();
        has_schema = true;
        if (in_.good() && found != profile_schema)
          in_.fail(
              base::format("\"schema\" is \"{}\", expected \"{}\"", shown(found), profile_schema));
      } else if (key == "fingerprint") {
        out.fingerprint = in_.string();
      } else if (key == "runtime") {
        read_runtime(out);
        if (has_schema) in_.stop();
      } else if (key == "complete") {
        out.complete = in_.boolean();
      } else if (key == "conditions") {
        unfit = read_unfit();
      } else if (key == "transports") {
        read_transports(out);
      } else {
        in_.skip();
      }
    });
    in_.end();
    if (in_.good() && !has_schema) in_.fail("\"schema\" is missing");
    if (unfit) out.complete = false;
    return in_.problem();
  }

 private:
  static std::string shown(std::string text) {
    base::make_one_line(text);
    return base::abbreviate(text);
  }

  // What a profile has for libam, in front of everything else.
  void read_runtime(document& out) {
    in_.object([&](const std::string& key) {
      if (key == "complete")
        out.complete = in_.boolean();
      else if (key == "transports")
        read_transports(out);
      else
        in_.skip();
    });
  }

  bool read_unfit() {
    bool any = false;
    in_.object([&](const std::string& key) {
      if (key != "unfit") return in_.skip();
      in_.array([&] {
        any = true;
        in_.skip();
      });
    });
    return any;
  }

  void read_transports(document& out) {
    in_.object([&](const std::string& name) {
      if (name != transport_) return in_.skip();
      out.costs = read_costs();
    });
  }

  // A measured value; NaN: it is not known.
  double value() {
    double median = std::nan("");
    bool known = false;
    in_.object([&](const std::string& key) {
      if (key == "unit") {
        if (in_.string() != "ns") in_.fail("a time is not in ns");
      } else if (key == "median") {
        known = true;
        if (!in_.take_null()) median = in_.number();
      } else {
        in_.skip();
      }
    });
    if (in_.good() && !known) in_.fail("\"median\" is missing");
    if (std::abs(median) > most_ns) in_.fail("a message takes more than a second");
    return median;
  }

  struct named {
    std::string_view key;
    double& to;
  };
  // False: it is none of these.
  bool take_value(std::string_view key, std::initializer_list<named> known) {
    const auto found = std::ranges::find(known, key, &named::key);
    if (found == known.end()) return false;
    found->to = value();
    return true;
  }

  std::optional<figures> read_costs() {
    const double unknown = std::nan("");
    figures out{unknown, unknown, unknown, {}};
    in_.object([&](const std::string& key) {
      if (key == "logp")
        read_logp(out);
      else if (key == "by_size")
        in_.array([&] { read_size(out); });
      else if (key == "wake_up")
        read_wake_up(out);
      else
        in_.skip();
    });
    std::ranges::stable_sort(out.mediums, {}, &medium_cost::bytes);
    if (!(out.o_s > 0) || !(out.g > 0) || !(out.rtt > 0)) return std::nullopt;
    return out;
  }

  void read_wake_up(figures& out) {
    const double ns = value();
    if (ns > 0) out.wake_up = ns;
  }

  void read_logp(figures& out) {
    double o_r = std::nan("");
    in_.object([&](const std::string& key) {
      if (!take_value(key, {{"o_s", out.o_s}, {"o_r", o_r}, {"g", out.g}, {"rtt", out.rtt}}))
        in_.skip();
    });
    if (o_r > 0) out.o_r = o_r;
  }

  void read_size(figures& out) {
    std::string operation;
    const double unknown = std::nan("");
    medium_cost one{unknown, unknown, unknown, unknown};
    in_.object([&](const std::string& key) {
      if (key == "operation")
        operation = in_.string();
      else if (key == "bytes")
        one.bytes = in_.number();
      else if (!take_value(key, {{"o", one.o}, {"g", one.g}, {"T", one.T}}))
        in_.skip();
    });
    const bool known = one.bytes > 0 && one.bytes <= most_medium_bytes && one.T > 0 &&
                       std::max(one.o, one.g) > 0 && !std::isnan(one.o) && !std::isnan(one.g);
    if (operation == "medium" && known) out.mediums.push_back(one);
  }

  json_reader in_;
  std::string_view transport_;
};

}  // namespace

std::string read_document(std::string_view text, std::string_view transport, document& out) {
  return document_reader(text, transport).read(out);
}

}  // namespace am::detail::profile
