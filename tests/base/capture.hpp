// Captures what is written to standard error during its lifetime.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

namespace am_test {

class captured_errors {
 public:
  captured_errors() : old_(::dup(STDERR_FILENO)), file_(::memfd_create("errors", MFD_CLOEXEC)) {
    ::dup2(file_, STDERR_FILENO);
  }
  captured_errors(const captured_errors&) = delete;
  captured_errors& operator=(const captured_errors&) = delete;
  ~captured_errors() {
    ::dup2(old_, STDERR_FILENO);
    ::close(old_);
    ::close(file_);
  }
  [[nodiscard]] std::string text() const {
    std::string all(4096, '\0');
    const auto size = ::pread(file_, all.data(), all.size(), 0);
    all.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return all;
  }

 private:
  int old_;
  int file_;
};

}  // namespace am_test
