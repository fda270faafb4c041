#include <calib/driver/html/page.hpp>

#include <calib/driver/html/style.hpp>
#include <calib/driver/output/encoding.hpp>
#include <calib/driver/output/json_text.hpp>
#include <calib/format.hpp>

namespace calib::html {
namespace {

std::string warning_of(std::string_view text) {
  return format("<p class='warning'>{}</p>\n", escaped(text));
}

std::string html_table(std::string_view label, const grid& rows) {
  return format("<div class='wide' tabindex='0'><table aria-label='{}'>\n{}</table></div>\n",
                escaped(label), rows.html());
}

}  // namespace

page::page(std::string_view title, std::string_view below_it)
    : title_(title), head_(format("<h1>{}</h1>\n<p>{}</p>\n", escaped(title), escaped(below_it))) {}

void page::heading(std::string_view text) {
  body_ += format("<h{0}>{1}</h{0}>\n", level_, escaped(text));
}

void page::part(std::string_view text, std::string_view source) {
  source_ = source;
  level_ = 2;
  heading(text);
  level_ = 3;
}

void page::paragraph(std::string_view text) { body_ += format("<p>{}</p>\n", escaped(text)); }

void page::warning(std::string_view text) { body_ += warning_of(text); }

void page::first_warning(std::string_view text) {
  head_ += warning_of(format("{}: {}", source_, text));
}

void page::list(const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  body_ += "<ul>\n";
  for (const std::string& one : lines) body_ += format("<li>{}</li>\n", escaped(one));
  body_ += "</ul>\n";
}

void page::table(std::string_view name, std::string_view caption, const grid& rows) {
  if (is_full()) return;
  body_ += format("<p class='caption'>{} {}</p>\n{}", escaped(caption), link_to(name, rows),
                  html_table(caption, rows));
}

std::string page::disclosed(std::string_view name, std::string_view label, const grid& rows) {
  return format(
      "<details><summary>The figures</summary>\n<p class='caption'>{}</p>\n{}</details>\n",
      link_to(name, rows), html_table(label, rows));
}

std::string page::link_to(std::string_view name, const grid& rows) {
  std::string file(name);
  for (int i = 2; !files_.insert(file).second; ++i) file = format("{}-{}", name, i);
  return format("<a download='{0}.csv' href='{1}' aria-label='CSV of {0}'>CSV</a>", escaped(file),
                csv_url(rows.csv()));
}

void page::add(std::string_view caption, const std::string& picture, const std::string& below) {
  body_ += format("<figure>\n{}<figcaption>{}</figcaption>\n{}</figure>\n", picture,
                  escaped(caption), below);
}

void page::data(const std::string& json) {
  body_ += format("<script type='application/json' id='result'>{}</script>\n",
                  within_script(brief(json)));
}

std::string page::text() const {
  return format(
      "<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
      "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}{}</body>\n</html>\n",
      escaped(title_), style, head_, body_);
}

}  // namespace calib::html
