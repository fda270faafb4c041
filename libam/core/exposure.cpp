#include <libam/core/exposure.hpp>

#include <libam/base/version.hpp>

#include <utility>

namespace am::detail::core {

namespace {

template <std::size_t... At>
constexpr exposed_endpoints with_version(std::index_sequence<At...>) {
  return {{base::version_text[At]...}, {}};
}

}  // namespace

}  // namespace am::detail::core

// A C symbol, for the note below.
extern "C" {
[[gnu::used,
  gnu::visibility("hidden")]] constinit am::detail::core::exposed_endpoints am_exposed_endpoints =
    am::detail::core::with_version(
        std::make_index_sequence<sizeof am::detail::base::version_text>());
}

// An ELF note: name "libam", kind 1, and the distance from its content to the endpoints.
asm(R"(
  .pushsection .note.libam, "a", %note
  .balign 4
  .long 2f - 1f
  .long 4f - 3f
  .long 1
1: .asciz "libam"
2: .balign 4
3: .quad am_exposed_endpoints - 3b
4: .balign 4
  .popsection
)");

namespace am::detail::core {

void expose(const exposure& one) noexcept {
  for (auto& place : am_exposed_endpoints.endpoints) {
    const exposure* expected = nullptr;
    if (place.compare_exchange_strong(expected, &one)) return;
  }
}

void hide(const exposure& one) noexcept {
  for (auto& place : am_exposed_endpoints.endpoints) {
    const exposure* me = &one;
    if (place.compare_exchange_strong(me, nullptr)) return;
  }
}

}  // namespace am::detail::core
