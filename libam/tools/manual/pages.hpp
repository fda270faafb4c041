// The manual pages, the completion and docs/settings.md, each as its file's text.
#pragma once

#include <libam/tools/manual/command.hpp>

#include <string>

namespace am::detail::manual {

std::string man_page(const command& about);  // chapter 1
std::string library_page();                  // libam(7)
std::string completion(const command& about);
std::string settings_page();  // Markdown

}  // namespace am::detail::manual
