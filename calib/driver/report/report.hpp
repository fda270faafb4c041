// The report: what instruments have measured, as one HTML file that opens without a network.
#pragma once

#include <calib/driver/output/json_field.hpp>

#include <optional>
#include <string>
#include <vector>

namespace calib {

struct document {
  std::string file;
  std::string text;
  std::string written_on;  // the date of the file
  std::string schema = {};
  json whole = {};
};

// A part of the page for each document, in their order; of two profiles first what differs.
// Nothing: `problem` says what is wrong with the document of which `file` is the name, or with all
// of them, where it is empty.
std::optional<std::string> report_of(std::vector<document> documents, std::string& file,
                                     std::string& problem);

}  // namespace calib
