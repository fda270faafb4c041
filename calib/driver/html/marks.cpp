#include <calib/driver/html/marks.hpp>

#include <calib/driver/output/encoding.hpp>
#include <calib/format.hpp>

#include <iterator>

namespace calib::html {
namespace {

constexpr std::size_t colours = 6;  // of style.hpp
constexpr const char* shapes[] = {
    "<circle r='4.5'/>",
    "<path d='M-4.5-4.5h9v9h-9z'/>",
    "<path d='M0-6L5.5 4.5h-11z'/>",
    "<path d='M0-6L6 0L0 6L-6 0z'/>",
    "<path d='M0 6L5.5-4.5h-11z'/>",
    "<path d='M-5-2h3v-3h4v3h3v4h-3v3h-4v-3h-3z'/>",
};

}  // namespace

// Where the colours begin anew, the shapes move on by one.
const char* shape_of(std::size_t series) {
  return shapes[(series + series / colours) % std::size(shapes)];
}

std::string class_of(std::size_t series) { return format("s{}", series % colours); }

std::string key_entry(std::size_t series, const std::string& drawing, const std::string& text) {
  return format(
      "<span><svg viewBox='-8 -8 16 16' aria-hidden='true'><g class='{}'>{}</g></svg>{}</span> ",
      class_of(series), drawing, escaped(text));
}

}  // namespace calib::html
