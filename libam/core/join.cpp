// Joining: make the transports, put their addresses and the handlers' digest on the job's
// blackboard, meet everyone, number the handlers alike.
#include <libam/base/error.hpp>
#include <libam/boot/boots.hpp>
#include <libam/core/convert.hpp>
#include <libam/core/handlers.hpp>
#include <libam/core/roll.hpp>
#include <libam/core/ways.hpp>

namespace am::detail::core {

am_status endpoint::join_as_started(endpoint** out) {
  base::settings settings;
  if (const am_status status = base::load_settings(settings); status != AM_OK) return status;
  std::string why;
  std::unique_ptr<seam::boot> job = boot::choose_boot(settings, why);
  if (job == nullptr) return base::fail(AM_PEER_UNREACHABLE, "cannot join the job: {}", why);
  return join(std::move(job), settings, out);
}

am_status endpoint::join(std::unique_ptr<seam::boot> job, const base::settings& settings,
                         endpoint** out) {
  base::set_log(settings.log, job->rank());
  register_own_handlers();
  if (const am_status status = check_names(settings.transport, settings.module_path);
      status != AM_OK)
    return status;
  std::unique_ptr<endpoint> joined(new endpoint(std::move(job), settings));
  if (enroll(*joined)) forget_numbers();
  if (const am_status status = joined->enter(); status != AM_OK) return status;
  *out = joined.release();
  return AM_OK;
}

// Parts keep references to parts behind them, and use them when all are there.
endpoint::endpoint(std::unique_ptr<seam::boot> job, const base::settings& settings)
    : dispatcher_(in_, face_of(this), teller_, job->ranks()),
      peers_(job->rank(), job->ranks(), in_, transports_, clock_),
      bulk_(dispatcher_, callbacks_, peers_, transports_, clock_),
      progress_(in_, dispatcher_, transports_, clock_, failures_, bulk_, stalls_,
                idle(settings.wait, job->ranks_here() > job->cpus())),
      failures_(in_, dispatcher_, peers_, transports_, bulk_),
      requests_(dispatcher_, peers_, bulk_, progress_),
      bulk_calls_(dispatcher_, peers_, transports_, bulk_, progress_, requests_),
      callbacks_(in_, dispatcher_),
      statistics_(dispatcher_, peers_, clock_, progress_),
      stalls_(settings.stall_warn, dispatcher_, peers_, bulk_),
      in_{std::move(job), std::make_unique<base::settings>(settings)} {}

// Transports may use what stands in front of them until they have ended.
endpoint::~endpoint() {
  transports_.clear();
  hide(stalls_.shown());
  strike(*this);
}

am_status endpoint::enter() {
  if (const am_status status = statistics_.open_file(in_.settings->stats); status != AM_OK)
    return status;
  transports_.make({peers_.rank(), peers_.ranks(), *in_.settings, *in_.job, dispatcher_});
  if (const am_status status = transports_.check_faults(*in_.settings); status != AM_OK)
    return status;
  if (const am_status status = progress_.open(); status != AM_OK) return status;
  if (const am_status status = agree_on_handlers(); status != AM_OK) return status;
  dispatcher_.open();
  show();
  return AM_OK;
}

void endpoint::show() noexcept {
  exposure& shown = stalls_.shown();
  dispatcher_.show(shown);
  peers_.show(shown);
  shown.polls = &clock_.polls();
  shown.full_polls = &progress_.full_polls();
  expose(shown);
}

// ---- what transports tell -----------------------------------------------------------------------

void endpoint::teller::transferred(seam::transfer& one) noexcept { to_.bulk_.transferred(one); }

void endpoint::teller::heard_of_end(am_rank peer, std::string_view why) noexcept {
  to_.failures_.hear_of_end(peer, why);
}

bool endpoint::teller::expects(am_rank peer, const void* where, std::size_t bytes) const noexcept {
  return to_.bulk_.expects(peer, where, bytes);
}

void endpoint::teller::given_back(am_status reason, const am_word* words, bool unknown) noexcept {
  if (!to_.bulk_.served.take_back(words)) to_.callbacks_.undeliverable(reason, words, unknown);
}

}  // namespace am::detail::core
