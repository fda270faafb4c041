// Messages of a team: any header, and any number of bytes behind it.
#include "base_stubs.hpp"
#include "target.hpp"

#include <am/detail/team_channel.hpp>

#include <memory>
#include <vector>

using am::detail::team_call;
using am::detail::team_channel;
using am::detail::team_header;

AM_FUZZ_TARGET(team_messages) {
  constexpr am_rank ranks = 3;
  am_test::fuzz::input_reader in(input);
  team_channel channel(ranks);
  // The message ends with the page: behind it is nothing.
  static const am_test::fuzz::arena room(4096);
  std::byte* const end = room.data() + room.size();
  // The targets of pieces: not one byte more.
  std::vector<std::unique_ptr<std::byte[]>> places(ranks);
  channel.begin_step(team_call::barrier);
  while (!in.empty() && channel.problem().empty()) {
    const am_rank from = in.byte() % ranks;
    switch (in.byte() % 4) {
      case 0:
        channel.end_step();
        channel.begin_step(static_cast<team_call>(in.byte() % 6));
        break;
      case 1: {
        const std::uint32_t bytes = in.byte();
        if (places[from] != nullptr && !channel.all_received()) break;
        channel.end_step();
        places[from] = std::make_unique<std::byte[]>(bytes);
        channel.expect(from, places[from].get(), bytes);
        break;
      }
      default: {
        const std::uint32_t claimed_bytes = in.byte() % 8 == 0 ? in.number() : in.byte();
        const team_header header{1, in.byte() % 4U, claimed_bytes,
                                 static_cast<team_call>(in.byte() % 8), 1};
        const std::size_t there = in.byte();
        channel.deliver(from, header, end - there, there);
      }
    }
  }
  (void)channel.all_received();
}
