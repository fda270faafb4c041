// Profiles made up for tests.
#pragma once

#include <string>

namespace am_test {

inline std::string value(const std::string& median, const std::string& unit = "ns") {
  return R"({"median":)" + median + R"(,"low":null,"high":null,"unit":")" + unit +
         R"(","n":6,"reached":true})";
}

struct made_profile {
  std::string schema = "am-profile/1";
  std::string fingerprint =
      "A processor; 4 cores; L1 Data 32K; KVM; Linux 6; libam 0.1.0; UCX 1.13.1";
  std::string before;  // what comes next in the file: members, each with a comma behind it
  std::string complete = "true";
  std::string conditions = R"({"launches":[[1.5,-2e3,null]],"unfit":[]})";
  std::string o_s = value("20");
  std::string o_r = value("30");
  std::string g = value("10");
  std::string rtt = value("200");
  std::string sizes = size("medium", 64, "30", "40", "150") + "," +
                      size("medium", 4096, "200", "260", "500") + "," +
                      size("store", 65536, "1", "1", "1");
  std::string wake_up = value("27000");
  std::string transport = "shm";

  static std::string size(const std::string& operation, unsigned bytes, const std::string& o,
                          const std::string& g, const std::string& T) {
    return R"({"operation":")" + operation + R"(","bytes":)" + std::to_string(bytes) + R"(,"o":)" +
           value(o) + R"(,"g":)" + value(g) + R"(,"T":)" + value(T) + "}";
  }
  [[nodiscard]] std::string text() const {
    return R"({"schema":")" + schema + R"(","fingerprint":")" + fingerprint + R"(",)" + before +
           R"("conditions":)" + conditions + R"(,"complete":)" + complete +
           R"(,"transports":{"other":{"logp":"anything"},")" + transport + R"(":{"logp":{"o_s":)" +
           o_s + R"(,"o_r":)" + o_r + R"(,"o_r_stream":)" + value("null") + R"(,"g":)" + g +
           R"(,"rtt":)" + rtt + R"(},"wake_up":)" + wake_up + R"(,"by_size":[)" + sizes +
           R"(],"remarks":["a \"\u0041\n\""]}}})";
  }
};

}  // namespace am_test
