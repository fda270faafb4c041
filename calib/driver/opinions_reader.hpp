// What others say of a layer, read. Nobody has laid down what is in it: what is of another form
// than ours is passed over.
#pragma once

#include <calib/driver/json_field.hpp>
#include <calib/driver/opinions.hpp>

namespace calib {

opinions opinions_from(const json_field& validation);

}  // namespace calib
