#include <transports/dilate/dilator.hpp>

#include <transports/dilate/dilated_transport.hpp>

#include <utility>

namespace am::detail::dilate {

std::unique_ptr<seam::transport> dilator::wrap(std::unique_ptr<seam::transport> inner) {
  return std::make_unique<dilated_transport>(std::move(inner), of_);
}

void dilator::name_handlers(std::span<const seam::inbox::entry> table) {
  of_libam_.clear();
  for (const seam::inbox::entry& one : table) {
    const std::string_view label = one.label;
    of_libam_.push_back(label.starts_with("am.") || label.starts_with("am::"));
  }
}

// ---- for core -----------------------------------------------------------------------------------

std::unique_ptr<seam::message_hooks> make_dilator(computation& of) {
  return std::make_unique<dilator>(of);
}

}  // namespace am::detail::dilate
