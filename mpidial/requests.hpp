// The requests that a program has begun and that are dialled: receives, persistent requests, and
// collective calls that do not block. Sends that are not persistent end as MPI ends them, and are
// not here.
#pragma once

#include <mpidial/communicators.hpp>
#include <mpidial/handle_table.hpp>
#include <mpidial/lane.hpp>

#include <cstddef>

namespace am::detail::mpidial {

enum class request_kind : std::uint8_t { receive, send, collective };

struct request {
  request_kind kind = request_kind::receive;
  bool persistent = false;
  bool active = true;      // a persistent one that has been started and has not ended
  bool cancelled = false;  // the program has asked for that
  bool here = false;       // MPI has ended it
  bool matched = false;    // a receive whose message is known: `due` and `dialled` are
  bool dialled = false;
  const communicator* comm = nullptr;  // null: nothing of it is dialled
  MPI_Comm handle = MPI_COMM_NULL;     // of persistent sends, with the three that follow
  int to = 0;
  int tag = 0;
  std::size_t bytes = 0;
  ticks due = 0;             // of a collective call that is not `here`: when its delay is over
  ticks begun = 0;           // of a collective call
  MPI_Comm* made = nullptr;  // a call that makes a communicator, of that number
  std::uint64_t made_id = 0;
};

using request_table = handle_table<request>;

}  // namespace am::detail::mpidial
