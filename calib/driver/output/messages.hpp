// How the command reports to its user and ends: lines on standard error, results, exit statuses.
#pragma once

#include <optional>
#include <string>

namespace calib {

// What a command ends with.
enum exit_status { good = 0, failed = 1, bad_usage = 2, unfit = 3, impossible = 4, stopped = 130 };

// One line on standard error.
void say(const std::string& line);

// May text for this descriptor be coloured? It is a terminal, and NO_COLOR is not set.
bool may_colour(int descriptor);

// Whether a result may go to this file, or to standard output (-). False: a message has said so.
bool can_write(const std::string& where);
// False: it could not be written, and a message has said so.
bool write_text(const std::string& text, const std::string& where);

// Writes `document` to `file`, if there is one, and the table to standard output, unless `file` is
// standard output (-). False: it could not.
bool write_result(const std::optional<std::string>& file, const std::string& document,
                  const std::string& table);

}  // namespace calib
