// The two forms in which am-info tells what it has found.
#pragma once

#include <libam/base/settings.hpp>
#include <libam/tools/am-info/joining.hpp>
#include <libam/tools/am-info/live.hpp>
#include <libam/tools/am-info/memory.hpp>
#include <libam/tools/am-info/survey.hpp>

#include <optional>
#include <string>

namespace am::detail::info {

struct findings {
  std::optional<std::vector<base::origin>> settings;
  std::optional<memory_use> memory;
  std::optional<joining> bootstrap;
  std::optional<survey> transports;
  std::optional<std::vector<live_rank>> process;
};

std::string as_text(const findings& found);
std::string as_json(const findings& found);

std::string joining_text(const joining& how);
std::string survey_text(const survey& all);
std::string live_text(const live_rank& rank);

}  // namespace am::detail::info
