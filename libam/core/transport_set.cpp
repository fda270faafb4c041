#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/core/give_back.hpp>
#include <libam/core/transport_set.hpp>
#include <libam/seam/load_module.hpp>

#include <utility>

namespace am::detail::core {

void transport_set::make(const seam::host& host) {
  max_medium_ = host.settings.max_medium;
  announce_faults(host);
  for (const known_transport& one : transports_with(host.settings.transport)) {
    way w{std::string(one.name), nullptr, {}};
    if (seam::make_transport* const start = choose(one, host, w.why_not); start != nullptr)
      w.transport = with_faults(start(host, w.why_not), host);
    if (w.transport != nullptr) {
      max_medium_ = std::min(max_medium_, w.transport->max_medium());
      if (w.transport->can().has(seam::capability::receives_unasked)) poll_too(*w.transport);
      (void)host.job.put("transport." + w.name, w.transport->address());
    } else {
      base::log(base::log_level::info, "{} is not used: {}", w.name, w.why_not);
    }
    all_.push_back(std::move(w));
  }
}

// Null: `why_not` says it.
seam::make_transport* transport_set::choose(const known_transport& one, const seam::host& host,
                                            std::string& why_not) const {
  const std::string& list = host.settings.transport;
  if (!allowed(list, one.name))
    why_not = base::format("AM_TRANSPORT={} leaves it out", list);
  else if (one.make == nullptr && host.ranks == 1 && !one.of_others)
    why_not = "a rank that is alone has nobody to reach";
  else if (one.for_networks && !is_wanted_here(one.name, host))
    why_not = "all ranks are on this host; AM_TRANSPORT takes it if it names it";
  else
    return one.make != nullptr ? one.make
                               : seam::load_transport(one.name, host.settings.module_path, why_not);
  return nullptr;
}

// To start it costs time and memory, which shared memory saves.
bool transport_set::is_wanted_here(std::string_view network, const seam::host& host) const {
  const auto reaches_all = [](const way& w) { return w.transport != nullptr && w.name != "self"; };
  return !host.job.one_host() || std::ranges::none_of(all_, reaches_all) ||
         names(host.settings.transport, network);
}

am_status transport_set::check_faults(const base::settings& settings) const {
  if (!settings.fault.of_network()) return AM_OK;
  for (const way& w : all_) {
    if (w.transport == nullptr || w.name == "self" ||
        w.transport->can().has(seam::capability::network))
      continue;
    return base::fail(
        AM_ARGUMENT_SETTING,
        "AM_FAULT names faults of a network, and {} has none; AM_TRANSPORT=tcp leaves "
        "it out",
        w.name);
  }
  return AM_OK;
}

std::vector<seam::attempt> transport_set::attempts() const {
  std::vector<seam::attempt> all;
  for (const way& w : all_) all.push_back({w.name, w.why_not});
  return all;
}

void transport_set::clear() noexcept { give_back_room(polled_, all_); }

}  // namespace am::detail::core
