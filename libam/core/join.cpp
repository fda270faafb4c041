// Joining: makes the transports, puts their addresses and the handlers' digest into the job's key
// store, waits in a fence, and numbers the handlers alike.
#include <libam/base/error.hpp>
#include <libam/boot/choose_boot.hpp>
#include <libam/core/endpoint_handle.hpp>
#include <libam/core/endpoint_list.hpp>
#include <libam/core/handlers.hpp>
#include <libam/core/known_transports.hpp>
#include <libam/core/use_profile.hpp>

namespace am::detail::core {

am_status endpoint::join_from_environment(endpoint** out) {
  base::settings settings;
  if (const am_status status = base::load_settings(settings); status != AM_OK) return status;
  std::string why;
  std::unique_ptr<seam::boot> job = boot::choose_boot(settings, why);
  if (job == nullptr) return fail_to_join(why);
  return join(std::move(job), settings, out);
}

am_status endpoint::join(std::unique_ptr<seam::boot> job, const base::settings& settings,
                         endpoint** out) {
  base::set_log(settings.log, job->rank());
  register_library_handlers();
  if (const am_status status = check_names(settings.transport, settings.module_path);
      status != AM_OK)
    return status;
  std::unique_ptr<endpoint> joined(new endpoint(std::move(job), settings));
  if (add_endpoint(*joined)) clear_handler_numbers();
  if (const am_status status = joined->initialize(); status != AM_OK) return status;
  *out = joined.release();
  return AM_OK;
}

namespace {

// Of a rank: with AM_PROGRESS=thread the program works beside the thread that waits.
unsigned threads_of(const base::settings& settings) noexcept {
  return settings.progress_thread ? 2 : 1;
}

// Ranks serve the others in the first fence. While one is in the second no rank has left the first
// for its program, so no message of a program comes into a join.
am_status compare_clocks(host_clocks* clocks, progress& poll_loop) {
  if (clocks != nullptr) clocks->compare();
  const am_status status = poll_loop.fence(progress::fence_work::handlers);
  return status == AM_OK ? poll_loop.fence(progress::fence_work::nothing) : status;
}

}  // namespace

// Parts keep references to parts that are made later, and use none before all are made.
endpoint::endpoint(std::unique_ptr<seam::boot> job, const base::settings& settings)
    : dispatcher_(membership_, handle_of(this), event_forwarder_, job->ranks()),
      peers_(job->rank(), job->ranks(), membership_, transports_, clock_),
      bulk_(dispatcher_, callbacks_, peers_, transports_, clock_),
      progress_(membership_, dispatcher_, transports_, clock_, failures_, bulk_, stalls_,
                idle_policy(settings.wait, job->ranks_here() * threads_of(settings) > job->cpus())),
      failures_(membership_, dispatcher_, peers_, transports_, bulk_),
      requests_(dispatcher_, peers_, bulk_, progress_),
      bulk_calls_(dispatcher_, peers_, transports_, bulk_, progress_, requests_),
      callbacks_(membership_, dispatcher_),
      statistics_(dispatcher_, peers_, clock_, progress_),
      stalls_(settings.stall_warn, dispatcher_, peers_, bulk_),
      membership_{std::move(job), std::make_unique<base::settings>(settings)} {
  attached.wants_thread = settings.progress_thread;
}

// Transports may use the parts before them until they have ended.
endpoint::~endpoint() {
  disown_trace(*this);
  transports_.clear();
  hide(stalls_.exposed_state());
  remove_endpoint(*this);
}

am_status endpoint::initialize() {
  if (const am_status status = statistics_.open_file(membership_.settings->stats); status != AM_OK)
    return status;
  const seam::transport_context context{peers_.rank(), peers_.ranks(), *membership_.settings,
                                        *membership_.job, dispatcher_};
  if (const am_status status = transports_.make_hooks(context); status != AM_OK) return status;
  if (transports_.hooks() != nullptr)
    hooked_ = std::make_unique<hooked_handlers>(dispatcher_, *transports_.hooks());
  stalls_.current_wait().by = transports_.observed_by();
  transports_.make(context);
  if (const am_status status = transports_.check_faults(*membership_.settings); status != AM_OK)
    return status;
  if (const am_status status = progress_.open(); status != AM_OK) return status;
  membership_.answers = choose_by_profile(*membership_.settings, *membership_.job, transports_);
  if (const am_status status = agree_on_handlers(); status != AM_OK) return status;
  if (membership_.answers.spin_us != 0)
    progress_.idle().set_first_spin(membership_.answers.spin_us);
  if (transports_.trace() != nullptr) {
    join_trace(*membership_.job, *transports_.trace());
    own_trace(*this);
  }
  dispatcher_.open();
  if (attached.serves_clocks)
    if (const am_status status = compare_clocks(transports_.clocks(), progress_); status != AM_OK)
      return status;
  if (transports_.observed_by() != nullptr) transports_.observed_by()->note_computed();
  publish_exposure();
  if (dilate::computation* const one = transports_.computation(); one != nullptr)
    one->leave_library();
  return AM_OK;
}

void endpoint::publish_exposure() noexcept {
  exposure& state = stalls_.exposed_state();
  dispatcher_.fill_exposure(state);
  peers_.fill_exposure(state);
  state.polls = &clock_.polls();
  state.full_polls = &progress_.full_polls();
  expose(state);
}

// ---- events of transports -----------------------------------------------------------------------

void endpoint::event_forwarder::on_transfer_end(seam::transfer& one) noexcept {
  endpoint_.bulk_.on_transfer_end(one);
}

void endpoint::event_forwarder::on_peer_failed(am_rank peer, std::string_view why) noexcept {
  endpoint_.failures_.note_failure(peer, why);
}

bool endpoint::event_forwarder::is_known_mapped(am_rank peer, const void* where,
                                                std::size_t bytes) const noexcept {
  return endpoint_.bulk_.is_known_mapped(peer, where, bytes);
}

void endpoint::event_forwarder::on_request_returned(am_status reason, const am_word* words,
                                                    bool unknown) noexcept {
  if (!endpoint_.bulk_.server.handle_returned(words))
    endpoint_.callbacks_.report_undeliverable(reason, words, unknown);
}

}  // namespace am::detail::core
