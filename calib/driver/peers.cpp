#include <calib/driver/peers.hpp>

#include <calib/driver/analysis.hpp>
#include <calib/driver/json.hpp>
#include <calib/driver/progress.hpp>
#include <calib/driver/table.hpp>

#include <unistd.h>

namespace calib {

exit_status peers(const peers_request& request) {
  if (request.json && !can_write(*request.json)) return failed;
  const catalogue found =
      find_layers(request.planned.transports, request.layers, !request.planned.bytes.empty());
  if (!is_anything(found, "layer")) return failed;

  result whole;
  take(found, request.planned, whole,
       [](const campaign& so_far) { return ratios_reached(so_far.launches); });
  whole.ratios_reached = ratios_reached(whole.launches);
  analyse(whole);
  judge(whole.at, whole);
  if (!tell(request.json, json_of(whole), table_of(whole, may_colour(STDOUT_FILENO))))
    return failed;
  return verdict(whole);
}

}  // namespace calib
