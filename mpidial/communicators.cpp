#include <mpidial/communicators.hpp>

#include <libam/base/hash.hpp>

#include <algorithm>
#include <numeric>
#include <string_view>

namespace am::detail::mpidial {

namespace {

template <class Value>
std::uint64_t hash_with(const Value* first, std::size_t count, std::uint64_t before) noexcept {
  const std::string_view bytes(reinterpret_cast<const char*>(first), count * sizeof(Value));
  return base::hash_of(bytes, before);
}

std::uint64_t hash_of_pair(std::uint64_t first, std::uint64_t second) noexcept {
  const std::uint64_t both[] = {first, second};
  return hash_with(both, 2, base::empty_hash);
}

bool has_two_groups(MPI_Comm handle) {
  int inter = 0;
  PMPI_Comm_test_inter(handle, &inter);
  return inter != 0;
}

}  // namespace

void communicators::begin() {
  add(MPI_COMM_WORLD, 1);
  add(MPI_COMM_SELF, 2);
}

std::uint64_t communicators::next_child(MPI_Comm parent) noexcept {
  communicator* const one = find(parent);
  return one == nullptr ? 0 : hash_of_pair(one->id, ++one->children);
}

std::uint64_t communicators::next_among(MPI_Comm made, std::uint64_t what) {
  std::vector<int> here = members_of(made, false);
  std::uint64_t id = hash_with(here.data(), here.size(), what);
  if (has_two_groups(made)) {  // the same from both sides
    const std::vector<int> there = members_of(made, true);
    const std::uint64_t other = hash_with(there.data(), there.size(), what);
    id = hash_of_pair(std::min(id, other), std::max(id, other));
  }
  return hash_of_pair(id, ++among_[id]);
}

void communicators::add(MPI_Comm made, std::uint64_t id) {
  if (made == MPI_COMM_NULL || id == 0) return;
  auto one = std::make_shared<communicator>(communicator{id});
  one->peers = members_of(made, has_two_groups(made));
  int size = 0;
  PMPI_Comm_size(made, &size);
  one->size = has_two_groups(made) ? size + static_cast<int>(one->peers.size()) : size;
  all_.put(key_of(made), std::move(one));
  last_key_ = 0;
}

void communicators::remove(MPI_Comm handle, bool idle) {
  if (idle) removed_.clear();
  std::shared_ptr<communicator>* const found = all_.find(key_of(handle));
  if (found == nullptr) return;
  removed_.push_back(std::move(*found));
  all_.erase(key_of(handle));
  last_key_ = 0;
}

std::vector<int> communicators::world_ranks(MPI_Group group) const {
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> out(ranks.size());
  MPI_Group world;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(group, size, ranks.data(), world, out.data());
  PMPI_Group_free(&world);
  std::ranges::replace(out, MPI_UNDEFINED, -1);
  return out;
}

std::vector<int> communicators::members_of(MPI_Comm handle, bool remote) const {
  MPI_Group group;
  // Called, never taken as pointers: a process without MPI would look for those when it starts.
  if (remote)
    PMPI_Comm_remote_group(handle, &group);
  else
    PMPI_Comm_group(handle, &group);
  std::vector<int> members = world_ranks(group);
  PMPI_Group_free(&group);
  return members;
}

}  // namespace am::detail::mpidial
