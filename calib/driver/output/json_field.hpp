// A JSON document that another program may have written, read field by field. Nothing is thrown:
// what is not as expected is a fault. The first fault is kept as one line that says where it is,
// what stands there and what was expected; after it every field reads as empty.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace calib {

using json = nlohmann::ordered_json;

// For a message: long text is cut.
std::string shortened(const std::string& text);

class json_field {
 public:
  // The whole document. `fault` is for the first fault; it must be empty and outlive this.
  json_field(const json& whole, std::string& fault) : json_field(whole, "", fault) {}

  [[nodiscard]] json_field operator[](const std::string& key) const;  // which must be there
  [[nodiscard]] std::optional<json_field> find(const std::string& key) const;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] double number() const;
  [[nodiscard]] std::uint64_t count() const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] bool is_null() const { return value_->is_null(); }
  [[nodiscard]] std::vector<json_field> items() const;  // of a list
  // Of a list of at most so many, which are called `what`: "points". A table may have a cell for
  // each two of them.
  [[nodiscard]] std::vector<json_field> items(std::size_t most, const char* what) const;
  // Of an object of at most 100.
  [[nodiscard]] std::vector<std::pair<std::string, json_field>> members() const;

  // The same field, whose fault goes to `fault`: for what need not be as expected.
  [[nodiscard]] json_field with_own_fault(std::string& fault) const {
    return {*value_, path_, fault};
  }

  // The fault that the value here is not `what`.
  void expected(const std::string& what) const;
  // The fault that there are more of `what` here.
  void at_most(std::size_t most, std::size_t count, const char* what) const;
  [[nodiscard]] bool good() const { return fault_->empty(); }

 private:
  json_field(const json& value, std::string path, std::string& fault)
      : value_(&value), path_(std::move(path)), fault_(&fault) {}
  [[nodiscard]] bool check(bool good, const char* what) const;

  const json* value_;
  std::string path_;
  std::string* fault_;
};

}  // namespace calib
