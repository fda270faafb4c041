// Grids as HTML and CSV, and pages with their pictures.
#include <calib/driver/html/labels.hpp>
#include <calib/driver/html/marks.hpp>
#include <calib/driver/html/page.hpp>
#include <calib/driver/output/encoding.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "contains.hpp"

using namespace calib;

namespace {

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

TEST_CASE("words stand in a row in every form, and head nothing") {
  grid of(false);
  of.add("", {title("n"), title("which means")}, true);
  of.add("row", {{"1", "", ""}, words("the <same>, or not")});
  of.add("next", {{"22", "", ""}, words("less")});
  CHECK(of.csv() == ",n,which means\nrow,1,\"the <same>, or not\"\nnext,22,less\n");
  CHECK(contains(of.html(), "<td>1</td><td class='words'>the &lt;same&gt;, or not</td></tr>"));
  CHECK(count(of.html(), "scope='col'") == 2);
  CHECK(of.text() ==
        "         n    which means\n"
        "  row     1   the <same>, or not\n"
        "  next   22   less\n");
}

TEST_CASE("the name of a row of titles is the first title, in CSV and HTML") {
  grid of(false);
  of.add("", {title("small"), title("large")}, true);
  of.add("bytes, ns of each", {title("x"), title("y")}, true);
  of.add("64", {{"1", "", ""}, {"2", "", ""}});
  CHECK(of.csv() == "\"bytes, ns of each\",small x,large y\n64,1,2\n");
  CHECK(contains(of.html(), "<tr><th scope='col'>bytes, ns of each</th><th scope='col'>x</th>"));
  CHECK(html::grid_of(picture({value(2)})).csv() == "times,s&0\nline <1>,2.00\n");
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

TEST_CASE("36 series differ in their shape or their colour") {
  std::set<std::pair<std::string, std::string>> marks;
  for (std::size_t series = 0; series < 36; ++series)
    marks.emplace(html::shape_of(series), html::class_of(series));
  CHECK(marks.size() == 36);
}

TEST_CASE("tables of one name are saved as files of their own") {
  html::page made("t", "b");
  for (int i = 0; i < 3; ++i) made.table("name", "caption", sample());
  for (const char* name : {"name", "name-2", "name-3"})
    CHECK(count(made.text(), "download='" + std::string(name) + ".csv'") == 1);
}

TEST_CASE("a page escapes its texts, and its JSON cannot end the script") {
  html::page made("a <title>", "below & it");
  made.warning("<w>");
  made.part("part", "file<>");
  made.first_warning("of it");
  made.table("name", "caption's", sample());
  made.picture("seen", picture({value(1)}));
  made.data(R"({"text": "</script>", "conditions": {"launches": [1, 2], "rounds": 3}})");
  const std::string text = made.text();
  CHECK(contains(text,
                 "<h1>a &lt;title&gt;</h1>\n<p>below &amp; it</p>\n"
                 "<p class='warning'>file&lt;&gt;: of it</p>\n<p class='warning'>&lt;w&gt;"));
  CHECK(contains(text, "<p class='warning'>&lt;w&gt;</p>"));
  CHECK(contains(text, "aria-label='caption&#39;s'"));
  CHECK(contains(text, "download='name.csv' href='data:text/csv;charset=utf-8,%2Ctime%20ms"));
  // Compact, and without what each launch measured.
  CHECK(contains(text, R"({"text":"\u003c/script>","conditions":{"rounds":3}}</script>)"));
  CHECK(count(text, "</script>") == 1);
}

namespace {

using drawn_as = chart::drawn_as;

// Measured values and a model of them, against something in microseconds.
chart with_model(std::vector<chart::point> points, std::vector<chart::point> model) {
  const auto in_us = [](double ns) { return std::to_string(static_cast<int>(ns)) + "<us"; };
  return {"p<1>",
          {"time", axis::scale::log, in_us},
          {"times", axis::scale::log},
          {{"measured", drawn_as::points, std::move(points)},
           {"model", drawn_as::model, std::move(model)}}};
}

chart two_curves(const std::string& y, axis::scale scale) {
  const std::vector<chart::point> points = {{0, value(1)}, {10, value(0)}, {100, value(3, 2, 4)}};
  return {"",
          {"x", axis::scale::log_from_0},
          {y, scale},
          {{"a<", drawn_as::curve, points}, {"b", drawn_as::curve, points}}};
}

}  // namespace

TEST_CASE("a chart has a point with its interval for each value, and the model as lines") {
  const std::string html =
      html::html_of(std::vector{with_model({{1, value(2, 1, 4)}, {10, value(20)}, {100, value(40)}},
                                           {{1, value(2)}, {10, value(3)}, {100, value(50)}})});
  CHECK(contains(html,
                 "<title>1&lt;us: measured 2.00 (1.00 .. 4.00), model 2.00</title>"
                 "<line class='interval'"));
  CHECK(contains(html, "<title>10&lt;us: measured 20.0, model 3.00</title><svg class='mark'"));
  CHECK(contains(html, "aria-label='p&lt;1&gt;; 1&lt;us: measured 2.00 (1.00 .. 4.00), model "));
  CHECK(count(html, "<svg class='mark'") == 3);
  CHECK(count(html, "<line class='s1 model'") == 2);
  CHECK(count(html, "<line class='s0 curve'") == 0);
  for (const char* label : {">1&lt;us</text>", ">100&lt;us</text>"}) CHECK(contains(html, label));
  CHECK_FALSE(contains(html, ">2&lt;us</text>"));  // such labels have no room
  CHECK_FALSE(contains(html, "'end "));            // there is one measured line
}

TEST_CASE("a model that was measured has its interval at each point") {
  const std::string html =
      html::html_of(std::vector{with_model({{1, value(2)}}, {{1, value(2, 1, 3)}, {9, value(4)}})});
  CHECK(contains(html, "<title>1&lt;us: measured 2.00, model 2.00 (1.00 .. 3.00)</title>"));
  CHECK(count(html, "<g class='s1'><line class='interval'") == 1);
}

TEST_CASE("what has no place in a chart has no point there, and no line to it") {
  const std::string html =
      html::html_of(std::vector{with_model({{1, value(0)}}, {{1, value(-1)}, {10, value(1)}})});
  CHECK(count(html, "class='mark'") == 0);
  CHECK(count(html, "'s1 model'") == 0);
}

TEST_CASE("curves have labels at their ends, which do not hide each other") {
  const std::string html = html::html_of(std::vector{two_curves("y", axis::scale::linear)});
  CHECK(count(html, "class='mark'") == 6);
  CHECK(count(html, "<line class='s0 curve'") == 2);
  const std::size_t first = html.find("<text class='end s0' x='100.00%' y='");
  const std::size_t second = html.find("<text class='end s1' x='100.00%' y='");
  REQUIRE(first != std::string::npos);
  REQUIRE(second != std::string::npos);
  CHECK(html.substr(first + 36, 5) != html.substr(second + 36, 5));
  CHECK(contains(html, "%'>a&lt;</text>"));
}

TEST_CASE("labels at one place are set apart, within the chart") {
  std::vector<html::end_label> labels = {{99, 0}, {10, 1}, {98, 2}, {99, 3}};
  html::set_apart(labels);
  std::vector<std::size_t> order;
  for (const html::end_label& one : labels) order.push_back(one.series);
  CHECK(order == std::vector<std::size_t>{1, 2, 0, 3});
  CHECK(labels[0].top == 10);
  CHECK(labels[1].top == 82);
  CHECK(labels[2].top == 91);
  CHECK(labels[3].top == 100);
}

TEST_CASE("charts side by side share an axis of one name, and lines of one name their colour") {
  const auto axes_with = [](const char* other) {
    chart small = two_curves("y", axis::scale::linear);
    chart large = two_curves(other, axis::scale::linear);
    large.lines[0].points.push_back({1000, value(30)});
    return axes_of(small, {small, large});
  };
  CHECK(axes_with("y").y.at(3) < 15);
  CHECK(axes_with("z").y.at(3) > 60);
  CHECK(axes_with("z").x.at(100) < 80);
  chart later = two_curves("z", axis::scale::linear);
  std::swap(later.lines[0], later.lines[1]);
  CHECK(line_names({two_curves("y", axis::scale::linear), later}) ==
        std::vector<std::string>{"a<", "b"});
}

TEST_CASE("an axis has a place for 0 in front of its decades, if there is one") {
  axis on(axis::scale::log_from_0);
  for (const double value : {0.0, -5.0, 1.0, 1000.0}) on.include(value);
  CHECK(on.at(0) == on.at(-5));
  CHECK(on.at(0) > 0);
  CHECK(on.at(0) < on.at(1) - 5);
  CHECK(on.at(1000) < 100);
  CHECK(on.ticks(1) == std::vector<double>{0, 1, 10, 100, 1000});
  axis without(axis::scale::log_from_0);
  for (const double value : {1.0, 1000.0}) without.include(value);
  CHECK(without.ticks(1).front() == 1);
  CHECK(without.at(1) < 5);
}

TEST_CASE("a linear axis has 0 on it, and few round values") {
  axis on(axis::scale::linear);
  for (const double value : {4.2, 18.6}) on.include(value);
  CHECK(on.at(0) == 0);
  CHECK(on.at(18.6) < 100);
  CHECK(on.ticks(1) == std::vector<double>{0, 5, 10, 15});
  on.include(-1);
  CHECK(on.at(0) > 0);
  CHECK(on.at(-1) > 0);
  axis empty(axis::scale::linear);
  empty.include(0);
  CHECK(empty.at(0) == 0);
  CHECK_FALSE(empty.has_place(std::numeric_limits<double>::quiet_NaN()));
}

TEST_CASE("an axis of names has a round value for each") {
  axis on(axis::scale::names);
  for (const double value : {-0.3, 0.0, 2.3}) on.include(value);
  CHECK(on.ticks(1) == std::vector<double>{0, 1, 2});
  CHECK(on.at(-0.3) > 0);
  CHECK(on.at(2.3) < 100);
}

TEST_CASE("a table behind a picture has its link and its label") {
  html::page made("t", "b");
  made.picture("seen & read", picture({value(1)}), "file", sample());
  const std::string text = made.text();
  CHECK(contains(text, "<figcaption>seen &amp; read</figcaption>\n<details><summary>"));
  CHECK(contains(text, "<a download='file.csv' href='data:text/csv"));
  CHECK(contains(text, "<table aria-label='seen &amp; read'>"));
}

TEST_CASE("numbers at axes are short") {
  for (const auto& [value, text] : {std::pair(0.0, "0"),
                                    {0.25, "0.25"},
                                    {999.0, "999"},
                                    {1000.0, "1k"},
                                    {1.5e6, "1.5M"},
                                    {2e9, "2G"},
                                    {-1e5, "-100k"}})
    CHECK(compact(value) == text);
}
