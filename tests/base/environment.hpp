// Sets or clears a variable during one test and then restores it.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace am_test {

class environment {
 public:
  environment(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    value != nullptr ? ::setenv(name, value, 1) : ::unsetenv(name);
  }
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;
  ~environment() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

}  // namespace am_test
