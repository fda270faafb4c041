// Probes: a message is found when it is due. One that is found and stays keeps its stamp.
#include <mpidial/calls/receiving.hpp>

namespace {

using namespace am::detail::mpidial;

void note_message(MPI_Message message, const dialler::arrival& its) {
  request one;
  one.matched = true;
  one.dialled = its.dialled;
  one.due = its.due;
  const auto guard = the_dialler->lock();
  the_dialler->messages().put(key_of(message), one);
}

// Whether what a probe has found is due.
bool is_due(const communicator* comm, const MPI_Status& of) {
  const ticks due =
      the_dialler->receive(comm, of.MPI_SOURCE, of.MPI_TAG, the_dialler->polling_since(), true).due;
  return due <= the_dialler->now();
}

}  // namespace

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status* status) {
  if (the_dialler == nullptr || from == MPI_PROC_NULL) return PMPI_Probe(from, tag, comm, status);
  sweep_freed();
  status_place its(status);
  const communicator* const known = find_communicator(*the_dialler, comm);
  const ticks since = start_of_wait(*the_dialler);
  const int result = PMPI_Probe(from, tag, comm, its.get());
  if (result == MPI_SUCCESS)
    the_dialler->wait_until(
        the_dialler->receive(known, its.get()->MPI_SOURCE, its.get()->MPI_TAG, since, true).due);
  return result;
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* found, MPI_Status* status) {
  if (the_dialler == nullptr || from == MPI_PROC_NULL || !the_dialler->holds_back())
    return PMPI_Iprobe(from, tag, comm, found, status);
  sweep_freed();
  status_place its(status);
  const int result = PMPI_Iprobe(from, tag, comm, found, its.get());
  if (result != MPI_SUCCESS) return result;
  if (*found == 0)
    (void)the_dialler->polling_since();
  else if (!is_due(find_communicator(*the_dialler, comm), *its.get()))
    *found = 0;
  return result;
}

int MPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  if (the_dialler == nullptr || from == MPI_PROC_NULL)
    return PMPI_Mprobe(from, tag, comm, message, status);
  sweep_freed();
  status_place its(status);
  const communicator* const known = find_communicator(*the_dialler, comm);
  const ticks since = start_of_wait(*the_dialler);
  const int result = PMPI_Mprobe(from, tag, comm, message, its.get());
  if (result != MPI_SUCCESS) return result;
  const auto arrival =
      the_dialler->receive(known, its.get()->MPI_SOURCE, its.get()->MPI_TAG, since);
  note_message(*message, arrival);
  the_dialler->wait_until(arrival.due);
  return result;
}

// A message is taken only when it is due: what MPI_Improbe has taken cannot be given back.
int MPI_Improbe(int from, int tag, MPI_Comm comm, int* found, MPI_Message* message,
                MPI_Status* status) {
  if (the_dialler == nullptr || from == MPI_PROC_NULL)
    return PMPI_Improbe(from, tag, comm, found, message, status);
  sweep_freed();
  status_place its(status);
  const communicator* const known = find_communicator(*the_dialler, comm);
  int result = PMPI_Iprobe(from, tag, comm, found, its.get());
  if (result != MPI_SUCCESS) return result;
  if (*found == 0 || !is_due(known, *its.get())) {
    (void)the_dialler->polling_since();
    *found = 0;
    return result;
  }
  result = PMPI_Improbe(its.get()->MPI_SOURCE, its.get()->MPI_TAG, comm, found, message, its.get());
  if (result != MPI_SUCCESS || *found == 0) return result;
  const auto arrival = the_dialler->receive(known, its.get()->MPI_SOURCE, its.get()->MPI_TAG, 0);
  note_message(*message, arrival);
  the_dialler->wait_until(arrival.due);  // another thread may have taken the one that was due
  return result;
}
