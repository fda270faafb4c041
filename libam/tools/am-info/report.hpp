// The two forms of am-info's report.
#pragma once

#include <libam/base/settings.hpp>
#include <libam/tools/am-info/join_report.hpp>
#include <libam/tools/am-info/live.hpp>
#include <libam/tools/am-info/memory.hpp>
#include <libam/tools/am-info/profile_report.hpp>
#include <libam/tools/am-info/survey.hpp>

#include <optional>
#include <string>

namespace am::detail::info {

struct findings {
  std::optional<std::vector<base::effective_setting>> settings;
  std::optional<memory_use> memory;
  std::optional<join_report> bootstrap;
  std::optional<survey> transports;
  std::optional<profile_report> profile;
  std::optional<std::vector<live_rank>> process;
};

std::string as_text(const findings& found);
std::string as_json(const findings& found);

std::string joining_text(const join_report& how);
std::string survey_text(const survey& all);
std::string live_text(const live_rank& rank);

}  // namespace am::detail::info
