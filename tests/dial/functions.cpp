// Dials as functions of the message: tables in files, shared objects, and the samples.
#include <transports/dial/delay_function.hpp>

#include <libam/base/error.hpp>

#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

using namespace am::detail::dial;
namespace base = am::detail::base;

namespace {

class scratch_file {
 public:
  explicit scratch_file(const std::string& text) { std::ofstream(path) << text; }
  ~scratch_file() { std::filesystem::remove(path); }
  const std::string path =
      std::filesystem::temp_directory_path() / ("libam-dial-" + std::to_string(::getpid()));
};

std::string problem_of(const std::string& text) {
  const scratch_file file(text);
  delay_table table;
  std::string why;
  CHECK_FALSE(table.read(file.path, why));
  return why;
}

const spinner& clock_of_test() {
  static const spinner clock;
  return clock;
}

delay_function loaded(const std::string& file) {
  delay_function out(clock_of_test(), 0, 4, delay_function::direction::to_peer);
  CHECK(out.load("L", file) == AM_OK);
  return out;
}

// In ns, at a time in ns.
double delay(delay_function& of, am_rank peer, double now_ns) {
  const spinner& clock = clock_of_test();
  return clock.ns(of(peer, 0, clock.of_ns(now_ns)));
}

}  // namespace

TEST_CASE("a table has the times of its lines, and between two of them those of the line through") {
  const scratch_file file("# bytes  time\n0 1us\n\n1024 2us  # a comment\n\t4096\t500ns\n");
  delay_table table;
  std::string why;
  REQUIRE(table.read(file.path, why));
  CHECK(table.ns(0) == 1000);
  CHECK(table.ns(512) == 1500);
  CHECK(table.ns(1024) == 2000);
  CHECK(table.ns(2560) == 1250);
  CHECK(table.ns(4096) == 500);
  CHECK(table.ns(1 << 30) == 500);
  delay_function function = loaded(file.path);
  CHECK(clock_of_test().ns(function(1, 1024, 0)) == doctest::Approx(2000).epsilon(0.01));
}

TEST_CASE("a table starts with the time of its first line") {
  const scratch_file file("100 3us\n");
  delay_table table;
  std::string why;
  REQUIRE(table.read(file.path, why));
  CHECK(table.ns(0) == 3000);
  CHECK(table.ns(100) == 3000);
  CHECK(table.ns(101) == 3000);
}

TEST_CASE("what is no table is refused with its line") {
  constexpr char expected[] = " is no BYTES TIME with more bytes than the line before";
  CHECK(problem_of("0 1us\n64\n") == std::string("line 2, '64',") + expected);
  CHECK(problem_of("0 1us\n0 2us\n") == std::string("line 2, '0 2us',") + expected);
  CHECK(problem_of("0 1\n") == std::string("line 1, '0 1',") + expected);
  CHECK(problem_of("-1 1us\n") == std::string("line 1, '-1 1us',") + expected);
  CHECK(problem_of("0 11s\n") == std::string("line 1, '0 11s',") + expected);
  CHECK(problem_of("# nothing\n") == "it has no line");
}

TEST_CASE("a file that is not there, and a shared object without the function") {
  delay_function out(clock_of_test(), 0, 2, delay_function::direction::to_peer);
  CHECK(out.load("L", "/nonexistent/table") == AM_ARGUMENT_SETTING);
  CHECK(std::string(base::error_text()) == "AM_DIAL: L=+@/nonexistent/table: it cannot be read");
  CHECK(out.load("g_s", "/nonexistent/x.so") == AM_ARGUMENT_SETTING);
  CHECK(std::string(base::error_text())
            .starts_with("AM_DIAL: g_s=+@/nonexistent/x.so: /nonexistent/x.so: "));
  CHECK(out.load("L", "libm.so.6") == AM_ARGUMENT_SETTING);  // a name that is no .so is a table
  CHECK(out.load("L", "x.so") == AM_ARGUMENT_SETTING);
  CHECK(std::string(base::error_text()).starts_with("AM_DIAL: L=+@x.so: ./x.so: "));
  CHECK_FALSE(out.exists());
  CHECK(out.load("L", "") == AM_OK);
  CHECK(out(1, 5, 7) == 0);
}

TEST_CASE("interrupt coalescing: all messages of a period are delivered at its end") {
  delay_function function = loaded(LIBAM_DIALS "/interrupt_coalescing.so");
  CHECK(delay(function, 1, 1e6) == doctest::Approx(50e3).epsilon(0.001));
  CHECK(delay(function, 1, 1e6 + 20e3) == doctest::Approx(30e3).epsilon(0.001));
  CHECK(delay(function, 2, 1e6 + 20e3) == doctest::Approx(50e3).epsilon(0.001));  // its own state
  CHECK(delay(function, 1, 1e6 + 49e3) == doctest::Approx(1e3).epsilon(0.01));
  CHECK(delay(function, 1, 1e6 + 51e3) == doctest::Approx(50e3).epsilon(0.001));
}

TEST_CASE("slow start: the gap halves with each window, and is long again after a pause") {
  delay_function function = loaded(LIBAM_DIALS "/slow_start.so");
  double now = 1e6;
  const auto next = [&] {
    now += 1e3;
    return delay(function, 1, now);
  };
  CHECK(next() == doctest::Approx(20e3).epsilon(0.001));
  for (int i = 0; i < 2; ++i) CHECK(next() == doctest::Approx(10e3).epsilon(0.001));
  for (int i = 0; i < 4; ++i) CHECK(next() == doctest::Approx(5e3).epsilon(0.001));
  CHECK(next() == doctest::Approx(2.5e3).epsilon(0.001));
  now += 300e3;
  CHECK(next() == doctest::Approx(20e3).epsilon(0.001));
}
