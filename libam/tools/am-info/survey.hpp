// Which transport serves which pair: every rank of the job makes first contact with every other, by
// the call that a program makes, and rank 0 collects the results.
#pragma once

#include <libam/base/settings.hpp>
#include <libam/seam/boot.hpp>
#include <libam/tools/am-info/rank_report.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace am::detail::info {

struct survey {
  std::vector<rank_report> ranks;  // by rank; one that has not reported has no contacts
};

// Joins, probes each rank, and leaves. At ranks other than 0 the survey has no ranks. Nothing and
// one line: that failed.
std::optional<survey> run_survey(std::unique_ptr<seam::boot> job, base::settings settings,
                                 std::string& why);

// Does each rank reach each?
bool all_reached(const survey& all) noexcept;

}  // namespace am::detail::info
