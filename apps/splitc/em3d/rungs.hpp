// The rungs of em3d's ladder: how the nodes of a kind come to know the nodes they depend on.
#pragma once

#include "nodes.hpp"

namespace apps::em3d {

// Computes `mine` from `theirs`. Afterwards the next half step may begin.
using rung = void (*)(world& w, nodes& mine, nodes& theirs, own_counts& counts);

// Null: there is none of this name.
rung find_rung(std::string_view name);

}  // namespace apps::em3d
