#include <transports/ucx/ucx_endpoint.hpp>

#include <libam/base/format.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

namespace am::detail::ucx {

namespace {

// Each name once, in the order of the text.
std::string parse_lane_names(std::string_view text) {
  std::string names;
  for (std::size_t at = text.find("lane["); at != text.npos; at = text.find("lane[", at + 1)) {
    const std::size_t from = text.find(':', text.find(':', at) + 1) + 1;
    const std::string name(text.substr(from, text.find(' ', from) - from));
    if (names.find(name) == names.npos) names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

}  // namespace

bool ucx_endpoint::create(std::span<const std::byte> address, bool same_host, std::string& why) {
  ucp_ep_params_t to{};
  to.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                  UCP_EP_PARAM_FIELD_ERR_HANDLER;
  to.address = reinterpret_cast<const ucp_address_t*>(address.data());
  to.err_mode = same_host ? UCP_ERR_HANDLING_MODE_NONE : UCP_ERR_HANDLING_MODE_PEER;
  to.err_handler.arg = &pair_;
  to.err_handler.cb = [](void* pair, ucp_ep_h, ucs_status_t status) noexcept {
    static_cast<pair_state*>(pair)->fail("UCX", status);
  };
  const ucs_status_t status = ucp_ep_create(ucx_.worker(), &to, &endpoint_);
  if (status != UCS_OK) {
    endpoint_ = nullptr;
    why = base::format("ucp_ep_create: {}", ucs_status_string(status));
    return false;
  }
  // A lane that puts and gets are bound to is printed with "rma#" and its number.
  may_put_and_get_ = same_host || description().find(" rma#") != std::string::npos;
  return true;
}

ucs_status_ptr_t ucx_endpoint::close() noexcept {
  if (endpoint_ == nullptr || pair_.current_state() == pair_state::state::lost) return nullptr;
  const ucp_request_param_t plain{};
  const ucs_status_ptr_t begun = ucp_ep_close_nbx(std::exchange(endpoint_, nullptr), &plain);
  return UCS_PTR_IS_PTR(begun) ? begun : nullptr;
}

std::string ucx_endpoint::lane_names() const { return parse_lane_names(description()); }

// UCX only prints it for people: "lane[0]: 2:posix/memory md[2] …".
std::string ucx_endpoint::description() const {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const file = endpoint_ != nullptr ? ::open_memstream(&text, &size) : nullptr;
  if (file == nullptr) return {};
  ucp_ep_print_info(endpoint_, file);
  std::fclose(file);
  const std::unique_ptr<char, decltype(&std::free)> owned(text, &std::free);
  return {text, size};
}

}  // namespace am::detail::ucx
