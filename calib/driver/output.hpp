// How the command speaks and ends.
#pragma once

#include <calib/driver/surroundings.hpp>

#include <string>

namespace calib {

// What a command ends with.
enum exit_status { good = 0, failed = 1, bad_usage = 2, unfit = 3, stopped = 130 };

// One line on standard error.
void say(const std::string& line);

// Whether a result may go to this file, or to standard output (-); says so if not.
bool can_write(const std::string& where);
// Says so if it could not.
bool write_text(const std::string& text, const std::string& where);

// Says what keeps the result from being good, and with which status the command ends for it.
exit_status verdict(const judgement& of);

}  // namespace calib
