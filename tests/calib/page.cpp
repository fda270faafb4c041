// Grids as HTML and CSV, and pages with their pictures.
#include <calib/driver/html/page.hpp>
#include <calib/driver/output/encoding.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "contains.hpp"

using namespace calib;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

estimate value(double median) { return {median, std::nullopt, 1}; }
estimate value(double median, double low, double high) {
  return {median, estimate::bounds{low, high}, 6};
}

grid sample() {
  grid out(false);
  out.add("", {title("time"), title("a"), title("b, c")}, true);
  out.add("", {title("ms"), title(""), title("")});
  out.add("one \"x\"", {cell_of(value(2, 1, 3)), {"7", "", ""}, {"8", "", ""}});
  out.add("two <&'", {cell_of(value(5))});
  return out;
}

html::dots picture(std::initializer_list<estimate> values) {
  html::dots out{{}, {{"line <1>", {}}}, "times", 1};
  for (const estimate& one : values) {
    out.lines[0].shown.push_back({out.series.size(), one});
    out.series.push_back("s&" + std::to_string(out.series.size()));
  }
  return out;
}

}  // namespace

TEST_CASE("CSV: titles in one line, intervals in fields of their own, as many fields in each row") {
  CHECK(sample().csv() ==
        ",time ms,time ms low,time ms high,a,\"b, c\"\n"
        "\"one \"\"x\"\"\",2.00,1.00,3.00,7,8\n"
        "two <&',5.00,,,,\n");
}

TEST_CASE("HTML: titles head columns, names head rows, and every text is escaped") {
  const std::string html = sample().html();
  CHECK(contains(html, "<tr><td></td><th scope='col'>time</th>"));
  CHECK(contains(html,
                 "<th scope='row'>one &quot;x&quot;</th>"
                 "<td>2.00 <small>1.00 .. 3.00</small></td><td>7</td>"));
  CHECK(contains(html, "<th scope='row'>two &lt;&amp;&#39;</th><td>5.00</td></tr>"));
}

TEST_CASE("a row of empty titles is left out") {
  grid of(false);
  of.add("", {title("x")});
  of.add("", {title("")});
  of.add("row", {{"1", "", ""}});
  CHECK(of.csv() == ",x\nrow,1\n");
  CHECK(count(of.html(), "<tr>") == 2);
}

TEST_CASE("a picture has a point with its interval for each value, and says them") {
  const std::string html = html::html_of(picture({value(0.5), value(2, 1, 4)}));
  CHECK(contains(html, "<title>s&amp;0: 0.50</title><svg x="));
  CHECK(contains(html, "<title>s&amp;1: 2.00 (1.00 .. 4.00)</title><line x1="));
  CHECK(contains(html, "aria-label='line &lt;1&gt;; s&amp;0: 0.50; s&amp;1: 2.00 (1.00 .. 4.00)'"));
  for (const char* height : {"y='33.3%'", "y='66.7%'"}) CHECK(contains(html, height));
  CHECK(contains(html, "class='reference'"));
  for (const char* tick : {">0.5<", ">1<", ">2<"}) CHECK(contains(html, tick));
}

TEST_CASE("equal values share an axis on which distances can be read") {
  const std::string html = html::html_of(picture({value(1), value(1)}));
  CHECK(count(html, "<text ") >= 2);
  CHECK(contains(html, "x='50.00%'"));
}

TEST_CASE("what a logarithmic axis cannot show has no point") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string html =
      html::html_of(picture({value(0), value(-1), value(infinity), value(nan), value(2, 0, 3)}));
  CHECK(count(html, "<title>") == 1);
  CHECK(contains(html, "<line x1='0.00%'"));
  CHECK_FALSE(contains(html, "nan%"));
  CHECK_FALSE(contains(html, "inf%"));
}

TEST_CASE("a picture without lines, and one of more series than shapes") {
  CHECK(contains(html::html_of({{}, {}, "times", 0}), "<div class='dots'>"));
  const estimate one = value(1);
  const std::string html = html::html_of(picture({one, one, one, one, one, one, one}));
  CHECK_FALSE(contains(html, "'s6'"));
}

TEST_CASE("a page escapes its texts, and its JSON cannot end the script") {
  html::page made("a <title>", "below & it");
  made.warning("<w>");
  made.table("name", "caption's", sample());
  made.picture("seen", picture({value(1)}));
  made.data(R"({"text":"</script>"})");
  const std::string text = made.text();
  CHECK(contains(text, "<h1>a &lt;title&gt;</h1>\n<p>below &amp; it</p>"));
  CHECK(contains(text, "<p class='warning'>&lt;w&gt;</p>"));
  CHECK(contains(text, "aria-label='caption&#39;s'"));
  CHECK(contains(text, "download='name.csv' href='data:text/csv;charset=utf-8,%2Ctime%20ms"));
  CHECK(contains(text, R"({"text":"\u003c/script>"})"));
  CHECK(count(text, "</script>") == 1);
}

TEST_CASE("curves: a point with its interval for each value, and the model as lines between them") {
  const auto in_us = [](double ns) { return std::to_string(static_cast<int>(ns)) + "<us"; };
  const html::curves shown{
      {{"p<1>", {{1, value(2, 1, 4), 2, 2}, {10, value(20), 3, 30}, {100, value(40), 50, 300}}}},
      "times",
      in_us};
  const std::string html = html::html_of(shown);
  CHECK(contains(html, "<title>1&lt;us: 2.00 (1.00 .. 4.00), model 2.00</title><line class='s0'"));
  CHECK(contains(html, "<title>10&lt;us: 20.0, model 3.00 to 30.0</title><circle"));
  CHECK(contains(html, "aria-label='p&lt;1&gt;; 1&lt;us: 2.00 (1.00 .. 4.00), model 2.00; "));
  CHECK(count(html, "<circle cx") == 3);
  CHECK(count(html, "<line class='s1'") == 4);  // two pieces of what it says at most, and at least
  for (const char* label : {">1&lt;us</text>", ">100&lt;us</text>"}) CHECK(contains(html, label));
  CHECK_FALSE(contains(html, ">2&lt;us</text>"));  // such labels have no room
}

TEST_CASE("curves of what has no place on a logarithmic axis have no point there") {
  const html::curves shown{{{"p", {{1, value(0), 1, 1}}}}, "times", [](double) { return ""; }};
  CHECK(count(html::html_of(shown), "<circle cx") == 0);
}
