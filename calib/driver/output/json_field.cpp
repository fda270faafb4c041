#include <calib/driver/output/json_field.hpp>

#include <calib/format.hpp>

#include <cmath>

namespace calib {
namespace {

constexpr double largest_number = 1e15;  // of any number: ten days in nanoseconds
constexpr std::size_t most_members = 100;

std::string abbreviated(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  return shortened(value.dump(-1, ' ', true));
}

}  // namespace

std::string shortened(const std::string& text) {
  constexpr std::size_t enough = 40;
  return text.size() <= enough ? text : text.substr(0, enough) + "...";
}

json_field json_field::operator[](const std::string& key) const {
  static const json nothing;
  const std::string path = path_.empty() ? key : path_ + '.' + key;
  if (!check(value_->is_object(), "an object")) return {nothing, path, *fault_};
  const auto found = value_->find(key);
  if (found != value_->end()) return {*found, path, *fault_};
  *fault_ = path + " is missing";
  return {nothing, path, *fault_};
}

std::optional<json_field> json_field::find(const std::string& key) const {
  if (!check(value_->is_object(), "an object") || !value_->contains(key)) return std::nullopt;
  return (*this)[key];
}

std::string json_field::text() const {
  if (!check(value_->is_string(), "text")) return {};
  const auto& text = value_->get_ref<const std::string&>();
  return check(is_legible(text), "text without control characters") ? text : "";
}

double json_field::number() const {
  if (!check(value_->is_number(), "a number")) return 0;
  const auto number = value_->get<double>();
  return check(std::abs(number) <= largest_number, "a number of at most 1e15") ? number : 0;
}

std::uint64_t json_field::count() const {
  if (!check(value_->is_number_unsigned(), "a whole number")) return 0;
  const auto number = value_->get<std::uint64_t>();
  return check(number <= static_cast<std::uint64_t>(largest_number),
               "a whole number of at most 1e15")
             ? number
             : 0;
}

bool json_field::boolean() const {
  return check(value_->is_boolean(), "true or false") && value_->get<bool>();
}

std::vector<json_field> json_field::items() const {
  std::vector<json_field> out;
  if (!check(value_->is_array(), "a list")) return out;
  for (std::size_t i = 0; i < value_->size(); ++i)
    out.push_back({(*value_)[i], format("{}[{}]", path_, i), *fault_});
  return out;
}

std::vector<json_field> json_field::items(std::size_t most, const char* what) const {
  if (value_->is_array()) at_most(most, value_->size(), what);
  return items();
}

std::vector<std::pair<std::string, json_field>> json_field::members() const {
  std::vector<std::pair<std::string, json_field>> out;
  if (!check(value_->is_object(), "an object")) return out;
  at_most(most_members, value_->size(), "members");
  if (!good()) return out;
  for (const auto& [key, value] : value_->items()) {
    if (!check(is_legible(key), "keys without control characters")) break;
    out.emplace_back(key, json_field(value, path_ + '.' + key, *fault_));
  }
  return out;
}

void json_field::at_most(std::size_t most, std::size_t count, const char* what) const {
  if (good() && count > most)
    *fault_ =
        format("{} has {} {}, of at most {}", path_.empty() ? "it" : path_, count, what, most);
}

void json_field::expected(const std::string& what) const {
  if (good())
    *fault_ =
        format("{} is {}, expected {}", path_.empty() ? "it" : path_, abbreviated(*value_), what);
}

bool json_field::check(bool good_here, const char* what) const {
  if (!good_here) expected(what);
  return good();
}

}  // namespace calib
