// Text within the formats of others: HTML, CSV, data URLs, and JSON within HTML.
#pragma once

#include <string>
#include <string_view>

namespace calib {

// For text between tags and for quoted attributes.
std::string escaped(std::string_view text);

// A field of RFC 4180: in quotes where it needs them.
std::string csv_field(std::string_view text);

// A data URL of CSV that saves as a file.
std::string csv_url(std::string_view csv);

// JSON for a script element: no "</" in it can end the element.
std::string within_script(std::string_view text);

}  // namespace calib
