// The marks of pictures: each of six series has a shape and a colour of its own, so that no reader
// needs its colour; each of 36 has a shape in a colour of its own.
#pragma once

#include <cstddef>
#include <string>

namespace calib::html {

// 10 units wide about (0, 0).
const char* shape_of(std::size_t series);
// The class that has its colour.
std::string class_of(std::size_t series);

// A line of a key: what this drawing, in the colour of this series, stands for.
std::string key_entry(std::size_t series, const std::string& drawing, const std::string& text);

}  // namespace calib::html
