// Records as JSON. A function describe(io, record) names each field once. One kind of `io` writes
// the record, one reads it, and one makes its JSON Schema.
//
//   template <class Io>
//   void describe(Io& io, point& p) {
//     io("bytes", p.bytes, "of the payload");  // must be there
//     io.may("remark", not_empty{p.remark});   // may be missing; left out where it is null
//   }
//
// The values of fields are those of json_values.hpp, records, lists of either, and `members`.
#pragma once

#include <calib/driver/output/json_values.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace calib {

// An object whose keys are names of things: in their order, each once.
template <class T>
using members = std::vector<std::pair<std::string, T>>;

class json_writer;
template <class T>
concept record = requires(json_writer& io, T& of) {
  describe(io, of);
};

template <record T>
json written(T of);  // by value: describe() takes a record that it may change
template <record T>
void read(const json_field& from, T& into);
template <record T>
json form_of(T of);

template <class T>
json written(const std::vector<T>& list) {
  json out = json::array();
  for (const T& one : list) out.push_back(written(one));
  return out;
}
template <class T>
void read(const json_field& from, std::vector<T>& into) {
  for (const json_field& one : from.items()) read(one, into.emplace_back());
}
template <class T>
json form_of(const std::vector<T>&) {
  return {{"type", "array"}, {"items", form_of(T{})}};
}

// A list of at most so many, which are called `what`.
template <class T>
struct bounded_list {
  std::vector<T>& of;
  std::size_t most;
  const char* what;
};
template <class T>
bounded_list(std::vector<T>&, std::size_t, const char*) -> bounded_list<T>;
template <class T>
json written(const bounded_list<T>& list) {
  return written(list.of);
}
template <class T>
void read(const json_field& from, const bounded_list<T>& into) {
  for (const json_field& one : from.items(into.most, into.what)) read(one, into.of.emplace_back());
}
template <class T>
json form_of(const bounded_list<T>& list) {
  return form_of(list.of);
}

template <class T>
json written(const members<T>& all) {
  json out = json::object();
  for (const auto& [key, one] : all) out[key] = written(one);
  return out;
}
template <class T>
void read(const json_field& from, members<T>& into) {
  for (const auto& [key, one] : from.members()) read(one, into.emplace_back(key, T{}).second);
}
template <class T>
json form_of(const members<T>&) {
  return {{"type", "object"}, {"additionalProperties", form_of(T{})}};
}

class json_writer {
 public:
  static constexpr bool reads = false;

  template <class T>
  void operator()(const char* key, T&& value, const char* = "") {
    out[key] = written(value);
  }
  template <class T>
  void may(const char* key, T&& value, const char* = "") {
    if (json one = written(value); !one.is_null()) out[key] = std::move(one);
  }
  // May be missing, and may have another form, which is skipped: the format does not define it.
  template <class T>
  void any_form(const char* key, std::optional<T>& value) {
    if (value) out[key] = written(*value);
  }
  // For people: nothing reads it.
  void only_written(const char* key, json value) { out[key] = std::move(value); }
  // In the schema: there are no other fields.
  void closed() {}

  json out = json::object();
};

class json_reader {
 public:
  static constexpr bool reads = true;

  explicit json_reader(json_field from) : from_(std::move(from)) {}

  template <class T>
  void operator()(const char* key, T&& value, const char* = "") {
    read(from_[key], value);
  }
  template <class T>
  void may(const char* key, T&& value, const char* = "") {
    if (const auto found = from_.find(key)) read(*found, value);
  }
  template <class T>
  void any_form(const char* key, std::optional<T>& value) {
    const auto found = from_.find(key);
    if (!found) return;
    std::string fault;
    T one{};
    read(found->with_own_fault(fault), one);
    if (fault.empty()) value = std::move(one);
  }
  void only_written(const char*, const json&) {}
  void closed() {}

 private:
  json_field from_;
};

class json_schema {
 public:
  static constexpr bool reads = false;

  template <class T>
  void operator()(const char* key, T&& value, const char* text = "") {
    required_.push_back(key);
    may(key, value, text);
  }
  template <class T>
  void may(const char* key, T&& value, const char* text = "") {
    properties_[key] = described(text, form_of(value));
  }
  template <class T>
  void any_form(const char*, std::optional<T>&) {}
  void only_written(const char*, const json&) {}
  void closed() { closed_ = true; }

  [[nodiscard]] json form() const {
    json out = {{"type", "object"}};
    if (!required_.empty()) out["required"] = required_;
    if (closed_) out["additionalProperties"] = false;
    if (!properties_.empty()) out["properties"] = properties_;
    return out;
  }

 private:
  static json described(const char* text, const json& form) {
    if (*text == '\0') return form;
    json out = {{"description", text}};
    out.update(form);
    return out;
  }

  json required_ = json::array();
  json properties_ = json::object();
  bool closed_ = false;
};

template <record T>
json written(T of) {
  json_writer io;
  describe(io, of);
  return std::move(io.out);
}
template <record T>
void read(const json_field& from, T& into) {
  json_reader io(from);
  describe(io, into);
}
template <record T>
json form_of(T of) {
  json_schema io;
  describe(io, of);
  return io.form();
}

// A record in the file whose fields belong to the record around it.
template <class Fields>
struct object {
  Fields fields;
};
template <class Fields>
object(Fields) -> object<Fields>;
template <class Io, class Fields>
void describe(Io& io, object<Fields>& o) {
  o.fields(io);
}

}  // namespace calib
