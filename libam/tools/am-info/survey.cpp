#include <libam/tools/am-info/survey.hpp>

#include <libam/base/error.hpp>
#include <libam/core/endpoint_handle.hpp>
#include <libam/core/known_transports.hpp>
#include <libam/seam/load_module.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::info {
namespace {

constexpr char transports_key[] = "am-info.transports";

// The state of this rank's probe of each rank.
struct probe_state {
  enum class state : char { none, asked, answered, refused };
  std::vector<state> of;
  am_rank open = 0;

  void end(am_rank rank, state how) noexcept {
    of[rank] = how;
    --open;
  }
};

void on_answer(am_token token, const am_word*, const void*, std::size_t) {
  auto& all = *static_cast<probe_state*>(am_ep_context(am_token_endpoint(token)));
  all.end(am_token_source(token), probe_state::state::answered);
}
AM_HANDLER(on_answer, "am-info.answer");

void on_question(am_token token, const am_word*, const void*, std::size_t) {
  (void)am_token_reply(token, AM_H(on_answer), 0, 0, 0, 0);
}
AM_HANDLER(on_question, "am-info.question");

void on_returned(am_token, const am_returned* message, void* all) {
  static_cast<probe_state*>(all)->end(message->rank, probe_state::state::refused);
}

int all_ended(void* all) { return static_cast<probe_state*>(all)->open == 0 ? 1 : 0; }

// A connection that cannot be made is reported as lost only after a while, so a route counts as
// used when an answer has come by it.
am_status probe_each_rank(core::endpoint& self, probe_state& all) {
  all.of.resize(self.peers().ranks());
  self.attached.context = &all;
  self.callbacks().on_undeliverable(&on_returned, &all);
  for (am_rank i = 0; i < self.peers().ranks(); ++i) {
    const am_rank to = (self.peers().rank() + i) % self.peers().ranks();
    all.of[to] = probe_state::state::asked;
    ++all.open;
    if (self.request(to, AM_H(on_question), 0, 0, 0, 0) != AM_OK)
      all.end(to, probe_state::state::refused);
  }
  return self.progress().wait(&all_ended, &all);
}

contact contact_with(core::endpoint& self, am_rank to, bool answered,
                     std::vector<seam::attempt> attempts) {
  contact found{{}, {}, std::move(attempts)};
  if (answered) {
    found.transport = found.tried.back().name;
    found.about = self.peers().port(to).describe_route();
    found.tried.pop_back();
  } else if (self.bulk_calls().fence(to) !=
             AM_OK) {  // lost, or dead, maybe before anything could be tried
    if (found.tried.empty()) found.tried.push_back({"-", {}});
    found.tried.back().outcome = base::error_text();
  }
  return found;
}

// Without peers no module is loaded, so this checks whether they could be.
void check_modules(std::vector<seam::attempt>& transports, const base::settings& settings) {
  for (seam::attempt& one : transports) {
    const auto known = std::ranges::find(core::known_transports(), std::string_view(one.name),
                                         &core::known_transport::name);
    const bool is_module = known != core::known_transports().end() && known->make == nullptr;
    if (is_module && core::is_allowed(settings.transport, one.name) &&
        seam::load_transport(one.name, settings.module_path, one.outcome) != nullptr)
      one.outcome = "its module can be loaded, but a rank that is alone has no peer";
  }
}

}  // namespace

std::optional<survey> run_survey(std::unique_ptr<seam::boot> job, base::settings settings,
                                 std::string& why) {
  settings.outlives_deaths = true;  // a lost connection is to be reported, not to end the job
  core::endpoint* self = nullptr;
  const auto failed = [&] {
    why = base::error_text();
    if (self != nullptr) self->abandon();
    return std::nullopt;
  };
  if (core::endpoint::join(std::move(job), settings, &self) != AM_OK) return failed();
  std::vector<std::vector<seam::attempt>> attempts;
  self->peers().note_attempts(attempts);
  probe_state all;
  if (probe_each_rank(*self, all) != AM_OK) return failed();

  rank_report mine{self->transports().attempts(), {}};
  if (self->peers().ranks() == 1) check_modules(mine.transports, settings);
  for (am_rank to = 0; to < self->peers().ranks(); ++to)
    mine.contacts.push_back(contact_with(*self, to, all.of[to] == probe_state::state::answered,
                                         std::move(attempts[to])));
  const std::string encoded = encode(mine);
  if (self->membership().job->put(transports_key, std::as_bytes(std::span(encoded))) != AM_OK)
    return failed();
  if (self->fence_job() != AM_OK) return failed();
  survey found;
  if (self->peers().rank() == 0) {
    found.ranks.resize(self->peers().ranks());
    for (am_rank rank = 0; rank < self->peers().ranks(); ++rank) {
      std::vector<std::byte> bytes;
      if (self->membership().job->get(rank, transports_key, bytes) == AM_OK)
        found.ranks[rank] = decode(bytes).value_or(rank_report{});
    }
  }
  if (self->close() != AM_OK) return failed();
  return found;
}

bool all_reached(const survey& all) noexcept {
  return std::ranges::all_of(all.ranks, [](const rank_report& one) {
    return !one.contacts.empty() && std::ranges::none_of(one.contacts, [](const contact& each) {
      return each.transport.empty();
    });
  });
}

}  // namespace am::detail::info
