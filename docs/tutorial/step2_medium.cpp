// Step 2: a payload in a request, a payload in its reply, and state that handlers reach through
// their token.
#include <am/am.hpp>

#include <cctype>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>

namespace {

using bytes = std::span<const std::byte>;

struct state {
  std::string answer;
  bool answered = false;
};

std::string text_of(bytes data) {
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

void show(am::reply_token t, bytes data) {
  auto& here = *t.context<state>();
  here.answer = text_of(data);  // a copy: the payload lives as long as this handler runs
  here.answered = true;
}

void to_upper(am::request_token t, bytes data) {
  std::string text = text_of(data);
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  t.reply<show>(std::as_bytes(std::span(text)));
}

}  // namespace

int main(int argc, char** argv) try {
  state here;  // declared before the endpoint: leaving may still run handlers
  am::endpoint ep = am::join(argc, argv);
  ep.set_context(&here);
  ep.job_fence();  // no rank sends before every rank has its context

  const am::rank_id next = (ep.rank() + 1) % ep.ranks();
  const std::string text = "a line of rank " + std::to_string(ep.rank());
  ep.request<to_upper>(next, am::reply_room(text.size()), std::as_bytes(std::span(text)));
  ep.wait([&] { return here.answered; });
  std::printf("rank %u: %s\n", ep.rank(), here.answer.c_str());
} catch (const am::error& error) {
  std::fprintf(stderr, "step2_medium: %s\n", error.what());
  return 1;
}
