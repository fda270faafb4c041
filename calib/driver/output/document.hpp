// A JSON document that a measurement has written, read from its file.
#pragma once

#include <calib/driver/output/json_field.hpp>

#include <functional>
#include <optional>
#include <string>

namespace calib {

// Parses the text and has `read` read it. Afterwards `problem` is the first fault, in one line, or
// empty.
void parse_document(const std::string& text, std::string& problem,
                    const std::function<void(const json_field& whole)>& read);

// The contents of a file. Nothing: `problem` says why.
std::optional<std::string> read_text(const std::string& file, std::string& problem);
void say_unreadable(const std::string& file, const std::string& problem);

// What `parse` makes of a file. Nothing: a message has said why.
template <class Document>
std::optional<Document> read_document(const std::string& file,
                                      std::optional<Document> (*parse)(const std::string& text,
                                                                       std::string& problem)) {
  std::string problem;
  std::optional<Document> out;
  if (const auto text = read_text(file, problem)) out = parse(*text, problem);
  if (!out) say_unreadable(file, problem);
  return out;
}

}  // namespace calib
