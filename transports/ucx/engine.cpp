#include <transports/ucx/engine.hpp>

#include <libam/base/format.hpp>
#include <libam/wire/little_endian.hpp>
#include <libam/wire/payload_room.hpp>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace am::detail::ucx {

namespace {

// From this version on endpoints to one host and to others can differ in how their failure is
// reported, and active messages have headers.
constexpr unsigned oldest_major = 1;
constexpr unsigned oldest_minor = 12;

constexpr unsigned all_ids = 0x10000;  // of UCX's active messages

ucs_status_t ignore_message(void*, const void*, std::size_t, void*, std::size_t,
                            const ucp_am_recv_param_t*) noexcept {
  return UCS_OK;
}

// What the user has not set of UCX's TCP: a frame goes in one fragment, because more of them take
// two to three times as long. And UCX 1.13 may end the process if a peer dies while a message of
// several is on its way. UCX has these names without their transport here; no other one has them.
void adapt_tcp(ucp_config_t* config, wire::payload_sizes payloads) noexcept {
  constexpr std::size_t least = 64 * 1024;  // UCX's default of what it receives
  const std::size_t fragment =
      std::max(least, std::bit_ceil(wire::most_frame_bytes(payloads, full_frame_bytes) + 256));
  const auto set_default = [config](const char* variable, std::size_t bytes) {
    constexpr std::size_t prefix = std::char_traits<char>::length("UCX_TCP_");
    if (std::getenv(variable) == nullptr)
      (void)ucp_config_modify(config, variable + prefix, base::format("{}", bytes).c_str());
  };
  set_default("UCX_TCP_TX_SEG_SIZE", fragment);
  set_default("UCX_TCP_RX_SEG_SIZE", fragment);
}

// With the user's UCX_*.
ucs_status_t read_config(wire::payload_sizes payloads, ucp_config_t*& config) noexcept {
  const ucs_status_t status = ucp_config_read(nullptr, nullptr, &config);
  if (status == UCS_OK) adapt_tcp(config, payloads);
  return status;
}

std::string call_error(const char* call, ucs_status_t status) {
  return base::format("{}: {}", call, ucs_status_string(status));
}

}  // namespace

// ---- received data ------------------------------------------------------------------------------

// Payloads keep their alignment: bytes are copied where UCX has not kept it, and where UCX needs
// its memory back.
received_data::received_data(ucp_worker_h from, std::span<const std::byte> bytes, bool holdable) {
  if (holdable) {
    worker_ = from;
    bytes_ = bytes;
    return;
  }
  copy_.resize(bytes.size() + wire::payload_step);
  std::byte* at = copy_.data();
  while (!is_aligned(at)) ++at;
  std::memcpy(at, bytes.data(), bytes.size());
  bytes_ = {at, bytes.size()};
}

received_data::received_data(received_data&& other) noexcept
    : worker_(std::exchange(other.worker_, nullptr)),
      copy_(std::move(other.copy_)),
      bytes_(other.bytes_) {}

received_data::~received_data() {
  if (worker_ != nullptr) ucp_am_data_release(worker_, const_cast<std::byte*>(bytes_.data()));
}

// ---- start and end ------------------------------------------------------------------------------

std::unique_ptr<engine> engine::start(bool wakes, am_rank own, wire::payload_sizes payloads,
                                      std::string& why) {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned patch = 0;
  ucp_get_version(&major, &minor, &patch);
  if (std::pair(major, minor) < std::pair(oldest_major, oldest_minor)) {
    why = base::format("UCX {}.{}.{} is installed; {}.{} or newer is needed", major, minor, patch,
                       oldest_major, oldest_minor);
    return nullptr;
  }
  std::unique_ptr<engine> made(new engine(own, payloads));
  const bool runs = made->open_context(wakes, why) && made->open_worker(wakes, why) &&
                    made->set_recv_handlers(why);
  return runs ? std::move(made) : nullptr;
}

engine::~engine() {
  if (worker_ != nullptr) ucp_worker_destroy(worker_);
  if (context_ != nullptr) ucp_cleanup(context_);
}

bool engine::open_context(bool wakes, std::string& why) {
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES;
  params.features = UCP_FEATURE_AM | UCP_FEATURE_RMA | (wakes ? UCP_FEATURE_WAKEUP : 0);
  ucp_config_t* config = nullptr;
  ucs_status_t status = read_config(payloads_, config);
  if (status != UCS_OK) {
    why = call_error("ucp_config_read", status);
    return false;
  }
  status = ucp_init(&params, config, &context_);
  ucp_config_release(config);
  if (status != UCS_OK) why = call_error("ucp_init", status);
  return status == UCS_OK;
}

bool engine::open_worker(bool wakes, std::string& why) {
  ucp_worker_params_t how{};
  how.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_AM_ALIGNMENT;
  how.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  how.am_alignment = wire::payload_step;
  ucs_status_t status = ucp_worker_create(context_, &how, &worker_);
  if (status != UCS_OK) {
    why = call_error("ucp_worker_create", status);
    return false;
  }
  if (wakes && (status = ucp_worker_get_efd(worker_, &descriptor_)) != UCS_OK) {
    why = call_error("ucp_worker_get_efd", status);
    return false;
  }
  ucp_address_t* address = nullptr;
  std::size_t bytes = 0;
  if (status = ucp_worker_get_address(worker_, &address, &bytes); status != UCS_OK) {
    why = call_error("ucp_worker_get_address", status);
    return false;
  }
  const auto* const first = reinterpret_cast<const std::byte*>(address);
  address_.assign(first, first + bytes);
  ucp_worker_release_address(worker_, address);
  query_fragment_size();
  return true;
}

// UCX does not report the length of fragments, but the longest header of a message that goes in
// several: that fits the first fragment of each lane, with more beside it.
void engine::query_fragment_size() noexcept {
  ucp_worker_attr_t about{};
  about.field_mask = UCP_WORKER_ATTR_FIELD_MAX_AM_HEADER;
  keeps_order_ =
      ucp_worker_query(worker_, &about) == UCS_OK && about.max_am_header >= single_fragment_bytes;
}

// UCX 1.13 looks the id of a message up in its table before it checks the table's length, and does
// not initialize what it adds to the table: a message under an id without a handler would end this
// process, or run anything. So all ids get a handler, the highest first, which makes the table as
// long as it gets: 1.5 MiB.
bool engine::ignore_all_ids(std::string& why) {
  for (unsigned id = all_ids; id-- > 0;) {
    const ucs_status_t status = set_recv_handler(id, &ignore_message, nullptr);
    if (status != UCS_OK) {
      why = call_error("ucp_worker_set_am_recv_handler", status);
      return false;
    }
  }
  return true;
}

bool engine::set_recv_handlers(std::string& why) {
  if (!ignore_all_ids(why)) return false;
  for (std::size_t i = 0; i < kind_count; ++i) {
    recv_contexts_[i] = {this, static_cast<kind>(i + 1)};
    const ucs_status_t status = set_recv_handler(static_cast<unsigned>(recv_contexts_[i].what),
                                                 &engine::on_receive, &recv_contexts_[i]);
    if (status != UCS_OK) {
      why = call_error("ucp_worker_set_am_recv_handler", status);
      return false;
    }
  }
  return true;
}

ucs_status_t engine::set_recv_handler(unsigned id, ucp_am_recv_callback_t run,
                                      void* with) noexcept {
  ucp_am_handler_param_t handler{};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                       UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = id;
  handler.cb = run;
  handler.arg = with;
  return ucp_worker_set_am_recv_handler(worker_, &handler);
}

// A message without its sender's rank comes from no rank, and is dropped.
ucs_status_t engine::on_receive(void* arg, const void*, std::size_t, void* data, std::size_t bytes,
                                const ucp_am_recv_param_t* how) noexcept {
  const recv_context& at = *static_cast<const recv_context*>(arg);
  std::span<const std::byte> all(static_cast<const std::byte*>(data), bytes);
  constexpr std::size_t head_bytes = sizeof(std::uint32_t);
  if (bytes < head_bytes || (how->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0) return UCS_OK;
  const auto from = wire::read_number<std::uint32_t>(all.data());
  const bool holdable =
      (how->recv_attr & UCP_AM_RECV_ATTR_FLAG_DATA) != 0 && is_aligned(all.data());
  if (at.what != kind::frame) all = all.subspan(head_bytes);
  const bool kept = at.owner->sink_->on_message(at.what, from, all, holdable);
  return kept ? UCS_INPROGRESS : UCS_OK;
}

}  // namespace am::detail::ucx
