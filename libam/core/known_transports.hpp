// The known transports, best first, and AM_TRANSPORT's list.
#pragma once

#include <libam/dilate/computation.hpp>
#include <libam/seam/message_hooks.hpp>
#include <libam/seam/transport.hpp>
#include <libam/trace/writer.hpp>

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace am::detail::core {

struct known_transport {
  std::string_view name;
  seam::make_transport_fn* make;  // null: it is a module
  bool for_networks = false;  // on one host it is used if it is named, or if there is no better one
  bool is_external = false;   // a module of which libam knows nothing but the name
  // Its library may end a process when a peer on another host dies: where the others are to go on
  // (AM_ON_PEER_DEATH), it is tried last, unless it is named.
  bool may_end_survivors = false;
};

std::span<const known_transport> known_transports() noexcept;

// The known transports, and behind them the external modules that AM_TRANSPORT's `list` names.
std::vector<known_transport> transports_with(std::string_view list);

// If AM_FAULT names faults: rank 0 logs the seed that repeats them, and draws one if AM_FAULT
// has none.
void announce_faults(const seam::transport_context& context);

// Returns `plain`, wrapped so that AM_FAULT's faults are injected if it names any; `self` is never
// wrapped.
std::unique_ptr<seam::transport> with_faults(std::unique_ptr<seam::transport> plain,
                                             const seam::transport_context& context);

// Of AM_DIAL; null: the status says why not.
std::unique_ptr<seam::message_hooks> make_dials(const seam::transport_context& context,
                                                am_status& status);
// Of AM_TRACE: the file, and what records messages in it. Null: the status says why not.
std::unique_ptr<trace::writer> open_trace(const seam::transport_context& context,
                                          am_status& status);
std::unique_ptr<seam::message_hooks> make_tracer(const seam::transport_context& context,
                                                 trace::writer& to);
// Of AM_DILATE. Null: the status says why not.
std::unique_ptr<dilate::computation> open_computation(const seam::transport_context& context,
                                                      am_status& status);
std::unique_ptr<seam::message_hooks> make_dilator(dilate::computation& of);
// Behind the first fence: writes what tells the files of this job from others.
void join_trace(seam::boot& job, trace::writer& to) noexcept;

// Returns `plain`, wrapped if there are hooks; `self`, which is no network, never is.
std::unique_ptr<seam::transport> with_hooks(std::unique_ptr<seam::transport> plain,
                                            seam::message_hooks* hooks);

// Does AM_TRANSPORT's `list` allow this one? "shm,tcp" names those allowed, and self, which reaches
// no other rank, is always one of them; "^shm" names those that are not; empty allows all.
bool is_allowed(std::string_view list, std::string_view name) noexcept;

// Does the list name it?
bool is_requested(std::string_view list, std::string_view name) noexcept;

// A name in `list` that no transport has, and no module in the folders of `module_path`, is
// argument(setting).
am_status check_names(std::string_view list, std::string_view module_path);

}  // namespace am::detail::core
