#include <libam/core/transport_set.hpp>

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/core/combined_hooks.hpp>
#include <libam/core/host_clocks.hpp>
#include <libam/core/release_memory.hpp>
#include <libam/seam/load_module.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace am::detail::core {

namespace {

std::vector<known_transport> in_order(const seam::transport_context& context) {
  const std::string& list = context.settings.transport;
  std::vector<known_transport> all = transports_with(list);
  if (!context.settings.outlives_deaths || context.job.one_host()) return all;
  std::stable_partition(all.begin(), all.end(), [&](const known_transport& one) {
    return !one.may_end_survivors || is_requested(list, one.name);
  });
  return all;
}

}  // namespace

am_status transport_set::make_hooks(const seam::transport_context& context) {
  const base::settings& settings = context.settings;
  if (!settings.dial.set && settings.trace.empty() && settings.dilate == 0) return AM_OK;
  around_ = std::make_unique<wrapping>();
  am_status status = AM_OK;
  if (settings.dial.set) around_->dials = make_dials(context, status);
  if (status == AM_OK && !settings.trace.empty()) around_->trace = open_trace(context, status);
  if (status == AM_OK && settings.dilate != 0)
    around_->computation = open_computation(context, status);
  if (status != AM_OK) return status;
  if (around_->trace != nullptr) around_->tracer = make_tracer(context, *around_->trace);
  if (around_->computation != nullptr) around_->dilator = make_dilator(*around_->computation);
  around_->by = {around_->trace.get(), around_->computation.get(), nullptr};
  around_->combine();
  return status;
}

seam::handler_hooks* transport_set::hooks() const noexcept {
  return around_ == nullptr ? nullptr : around_->of_handlers;
}

void transport_set::set_clocks(std::unique_ptr<host_clocks> clocks) noexcept {
  around_->by.clocks = clocks.get();
  around_->clocks = std::move(clocks);
}

transport_set::wrapping::wrapping() = default;
transport_set::wrapping::~wrapping() = default;

// What is set alone is called without a detour.
void transport_set::wrapping::combine() {
  seam::message_hooks* const all[] = {dials.get(), tracer.get(), dilator.get()};
  const auto is_set = [](const seam::message_hooks* one) { return one != nullptr; };
  of_handlers = *std::ranges::find_if(all, is_set);
  if (std::ranges::count_if(all, is_set) == 1) return;
  combined = std::make_unique<combined_hooks>(dials.get(), tracer.get(), dilator.get());
  of_handlers = combined.get();
}

void transport_set::make(const seam::transport_context& context) {
  max_medium_ = context.settings.max_medium;
  announce_faults(context);
  for (const known_transport& one : in_order(context)) {
    candidate made{std::string(one.name), nullptr, {}};
    if (seam::make_transport_fn* const start = choose(one, context, made.why_not); start != nullptr)
      made.transport = wrapped(start(context, made.why_not), context);
    if (made.transport != nullptr) {
      max_medium_ = std::min(max_medium_, made.transport->max_medium());
      if (made.transport->caps().has(seam::capability::accepts_unsolicited))
        add_polled(*made.transport);
      (void)context.job.put("transport." + made.name, made.transport->address());
    } else {
      base::log(base::log_level::info, "{} is not used: {}", made.name, made.why_not);
    }
    all_.push_back(std::move(made));
  }
}

// Messages are dialled where they leave the transport, and recorded as core sees them. The time of
// a record is not the program's.
std::unique_ptr<seam::transport> transport_set::wrapped(std::unique_ptr<seam::transport> plain,
                                                        const seam::transport_context& context) {
  if (around_ == nullptr) return with_faults(std::move(plain), context);
  auto dialled = with_faults(with_hooks(std::move(plain), around_->dials.get()), context);
  return with_hooks(with_hooks(std::move(dialled), around_->tracer.get()), around_->dilator.get());
}

// Null: `why_not` has the reason.
seam::make_transport_fn* transport_set::choose(const known_transport& one,
                                               const seam::transport_context& context,
                                               std::string& why_not) const {
  const std::string& list = context.settings.transport;
  if (!is_allowed(list, one.name))
    why_not = base::format("AM_TRANSPORT={} leaves it out", list);
  else if (one.make == nullptr && context.ranks == 1 && !one.is_external)
    why_not = "a rank that is alone has no peer to reach";
  else if (one.for_networks && !is_wanted_here(one.name, context))
    why_not = "all ranks are on this host; name it in AM_TRANSPORT to use it";
  else
    return one.make != nullptr
               ? one.make
               : seam::load_transport(one.name, context.settings.module_path, why_not);
  return nullptr;
}

// A network transport costs time and memory to start; shared memory saves both.
bool transport_set::is_wanted_here(std::string_view network,
                                   const seam::transport_context& context) const {
  const auto reaches_all = [](const candidate& one) {
    return one.transport != nullptr && one.name != "self";
  };
  return !context.job.one_host() || std::ranges::none_of(all_, reaches_all) ||
         is_requested(context.settings.transport, network);
}

am_status transport_set::check_faults(const base::settings& settings) const {
  if (!settings.fault.affects_network()) return AM_OK;
  for (const candidate& one : all_) {
    if (one.transport == nullptr || one.name == "self" ||
        one.transport->caps().has(seam::capability::network))
      continue;
    return base::fail(
        AM_ARGUMENT_SETTING,
        "AM_FAULT names faults of a network, and {} has none; AM_TRANSPORT=tcp leaves "
        "it out",
        one.name);
  }
  return AM_OK;
}

std::vector<seam::attempt> transport_set::attempts() const {
  std::vector<seam::attempt> all;
  for (const candidate& one : all_) all.push_back({one.name, one.why_not});
  return all;
}

void transport_set::clear() noexcept {
  free_containers(polled_, all_);
  around_.reset();
}

}  // namespace am::detail::core
