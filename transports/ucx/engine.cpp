#include <libam/base/format.hpp>
#include <libam/wire/little_endian.hpp>
#include <libam/wire/payload_room.hpp>
#include <transports/ucx/engine.hpp>

#include <cstring>
#include <utility>

namespace am::detail::ucx {

namespace {

// From here on endpoints to one host and to others differ in how their failure is told, and
// active messages have headers.
constexpr unsigned oldest_major = 1;
constexpr unsigned oldest_minor = 12;

constexpr unsigned all_ids = 0x10000;  // of UCX's active messages

ucs_status_t pass_over(void*, const void*, std::size_t, void*, std::size_t,
                       const ucp_am_recv_param_t*) noexcept {
  return UCS_OK;
}

std::string trouble(const char* call, ucs_status_t status) {
  return base::format("{}: {}", call, ucs_status_string(status));
}

}  // namespace

// ---- arrivals -----------------------------------------------------------------------------------

// Payloads keep their alignment: where UCX has not kept it, and where it wants its memory back, a
// copy does.
arrival::arrival(ucp_worker_h from, std::span<const std::byte> bytes, bool lent) {
  if (lent) {
    lender_ = from;
    bytes_ = bytes;
    return;
  }
  copy_.resize(bytes.size() + wire::payload_step);
  std::byte* at = copy_.data();
  while (!is_aligned(at)) ++at;
  std::memcpy(at, bytes.data(), bytes.size());
  bytes_ = {at, bytes.size()};
}

arrival::arrival(arrival&& other) noexcept
    : lender_(std::exchange(other.lender_, nullptr)),
      copy_(std::move(other.copy_)),
      bytes_(other.bytes_) {}

arrival::~arrival() {
  if (lender_ != nullptr) ucp_am_data_release(lender_, const_cast<std::byte*>(bytes_.data()));
}

// ---- start and end ------------------------------------------------------------------------------

std::unique_ptr<engine> engine::start(bool wakes, am_rank own, wire::payload_sizes payloads,
                                      std::string& why) {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned patch = 0;
  ucp_get_version(&major, &minor, &patch);
  if (std::pair(major, minor) < std::pair(oldest_major, oldest_minor)) {
    why = base::format("UCX {}.{}.{} is here; it takes {}.{} or newer", major, minor, patch,
                       oldest_major, oldest_minor);
    return nullptr;
  }
  std::unique_ptr<engine> made(new engine(own, payloads));
  const bool runs =
      made->open_context(wakes, why) && made->open_worker(wakes, why) && made->open_ears(why);
  return runs ? std::move(made) : nullptr;
}

engine::~engine() {
  if (worker_ != nullptr) ucp_worker_destroy(worker_);
  if (context_ != nullptr) ucp_cleanup(context_);
}

// The user's UCX_* are read here.
bool engine::open_context(bool wakes, std::string& why) {
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES;
  params.features = UCP_FEATURE_AM | UCP_FEATURE_RMA | (wakes ? UCP_FEATURE_WAKEUP : 0);
  const ucs_status_t status = ucp_init(&params, nullptr, &context_);
  if (status != UCS_OK) why = trouble("ucp_init", status);
  return status == UCS_OK;
}

bool engine::open_worker(bool wakes, std::string& why) {
  ucp_worker_params_t how{};
  how.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_AM_ALIGNMENT;
  how.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  how.am_alignment = wire::payload_step;
  ucs_status_t status = ucp_worker_create(context_, &how, &worker_);
  if (status != UCS_OK) {
    why = trouble("ucp_worker_create", status);
    return false;
  }
  if (wakes && (status = ucp_worker_get_efd(worker_, &descriptor_)) != UCS_OK) {
    why = trouble("ucp_worker_get_efd", status);
    return false;
  }
  ucp_address_t* address = nullptr;
  std::size_t bytes = 0;
  if (status = ucp_worker_get_address(worker_, &address, &bytes); status != UCS_OK) {
    why = trouble("ucp_worker_get_address", status);
    return false;
  }
  const auto* const first = reinterpret_cast<const std::byte*>(address);
  address_.assign(first, first + bytes);
  ucp_worker_release_address(worker_, address);
  learn_fragments();
  return true;
}

// UCX does not say how long they are, but the longest header of a message that goes in several: it
// fits the first fragment of each way, with more beside it.
void engine::learn_fragments() noexcept {
  ucp_worker_attr_t about{};
  about.field_mask = UCP_WORKER_ATTR_FIELD_MAX_AM_HEADER;
  keeps_order_ =
      ucp_worker_query(worker_, &about) == UCS_OK && about.max_am_header >= small_message;
}

// Of a message that comes UCX 1.13 looks its id up before it asks whether its table has so many,
// and what a longer table has more it leaves as it finds the memory: a message under an id that
// nobody listens at would end this process, or run anything. So all have a function, the highest
// first, which makes the table as long as it gets: 1.5 MiB.
bool engine::pass_all_over(std::string& why) {
  for (unsigned id = all_ids; id-- > 0;) {
    const ucs_status_t status = listen_at(id, &pass_over, nullptr);
    if (status != UCS_OK) {
      why = trouble("ucp_worker_set_am_recv_handler", status);
      return false;
    }
  }
  return true;
}

bool engine::open_ears(std::string& why) {
  if (!pass_all_over(why)) return false;
  for (std::size_t i = 0; i < kinds; ++i) {
    ears_[i] = {this, static_cast<kind>(i + 1)};
    const ucs_status_t status =
        listen_at(static_cast<unsigned>(ears_[i].what), &engine::hear, &ears_[i]);
    if (status != UCS_OK) {
      why = trouble("ucp_worker_set_am_recv_handler", status);
      return false;
    }
  }
  return true;
}

ucs_status_t engine::listen_at(unsigned id, ucp_am_recv_callback_t run, void* with) noexcept {
  ucp_am_handler_param_t handler{};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                       UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = id;
  handler.cb = run;
  handler.arg = with;
  return ucp_worker_set_am_recv_handler(worker_, &handler);
}

// What does not say who has sent it is no rank's and is dropped.
ucs_status_t engine::hear(void* listening, const void*, std::size_t, void* data, std::size_t bytes,
                          const ucp_am_recv_param_t* how) noexcept {
  const ear& at = *static_cast<const ear*>(listening);
  std::span<const std::byte> all(static_cast<const std::byte*>(data), bytes);
  constexpr std::size_t head_bytes = sizeof(std::uint32_t);
  if (bytes < head_bytes || (how->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0) return UCS_OK;
  const auto from = wire::read_number<std::uint32_t>(all.data());
  const bool lent = (how->recv_attr & UCP_AM_RECV_ATTR_FLAG_DATA) != 0 && is_aligned(all.data());
  if (at.what != kind::frame) all = all.subspan(head_bytes);
  const bool kept = at.of->hearer_->has_come(at.what, from, all, lent);
  return kept ? UCS_INPROGRESS : UCS_OK;
}

}  // namespace am::detail::ucx
