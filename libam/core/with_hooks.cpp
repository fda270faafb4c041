// AM_TRACE and AM_DILATE, and what they have in common with AM_DIAL.
#include <libam/base/error.hpp>
#include <libam/base/log.hpp>
#include <libam/base/random.hpp>
#include <libam/base/settings.hpp>
#include <libam/core/known_transports.hpp>

#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace am::detail::trace {
std::unique_ptr<seam::message_hooks> make_tracer(const seam::transport_context& context,
                                                 writer& to);
}

namespace am::detail::dilate {
std::unique_ptr<seam::message_hooks> make_dilator(computation& of);
}

namespace am::detail::core {

namespace {

constexpr std::string_view job_key = "trace.job";

}  // namespace

std::unique_ptr<trace::writer> open_trace(const seam::transport_context& context,
                                          am_status& status) {
  auto made = std::make_unique<trace::writer>();
  const base::settings& settings = context.settings;
  status = made->open(settings.trace,
                      {context.rank, context.ranks, context.job.host_id(), settings.dilate},
                      std::uint64_t{settings.trace_limit} << 20U);
  if (status != AM_OK) return nullptr;
  const std::uint64_t drawn = base::random_word();
  (void)context.job.put(job_key, std::as_bytes(std::span(&drawn, 1)));
  return made;
}

std::unique_ptr<seam::message_hooks> make_tracer(const seam::transport_context& context,
                                                 trace::writer& to) {
  return trace::make_tracer(context, to);
}

// The number of the first rank that has one: not all need to have a trace.
void join_trace(seam::boot& job, trace::writer& to) noexcept try {
  std::vector<std::byte> blob;
  std::uint64_t number = 0;
  for (am_rank rank = 0; rank <= job.rank(); ++rank) {
    if (job.get(rank, job_key, blob) != AM_OK || blob.size() != sizeof number) continue;
    std::memcpy(&number, blob.data(), sizeof number);
    return to.set_job(number);
  }
} catch (const std::bad_alloc&) {
  return;
}

// Where a thread of libam's owns the endpoint, all of its time is libam's.
std::unique_ptr<dilate::computation> open_computation(const seam::transport_context& context,
                                                      am_status& status) {
  const base::settings& settings = context.settings;
  if (settings.progress_thread) {
    status = base::fail(AM_ARGUMENT_SETTING,
                        "AM_DILATE={} stretches what the thread of an endpoint computes, and with "
                        "AM_PROGRESS=thread that computes nothing; AM_PROGRESS=poll goes with it",
                        settings.dilate);
    return nullptr;
  }
  if (context.rank == 0)
    base::log(base::log_level::info, "AM_DILATE: what is computed takes {} times as long",
              settings.dilate);
  return std::make_unique<dilate::computation>(settings.dilate);
}

std::unique_ptr<seam::message_hooks> make_dilator(dilate::computation& of) {
  return dilate::make_dilator(of);
}

std::unique_ptr<seam::transport> with_hooks(std::unique_ptr<seam::transport> plain,
                                            seam::message_hooks* hooks) {
  const bool wanted = plain != nullptr && hooks != nullptr && plain->name() != "self";
  return wanted ? hooks->wrap(std::move(plain)) : std::move(plain);
}

}  // namespace am::detail::core
