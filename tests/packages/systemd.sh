# In a mount namespace of its own: what am-tools does under a systemd that runs. It is process 1 of a
# root of its own (systemd_root.sh), once as a machine and once as a container, and runs
# systemd_inside.sh, which ends with a verdict.
set -eu
build=$1 stage=$2
here=$(dirname "$(readlink -f "$0")")
impossible() { echo "not possible here: $*"; exit 77; }
[ -x /lib/systemd/systemd ] || impossible "systemd is not installed"
apart="unshare --pid --fork --cgroup --ipc --uts --net --mount --propagation private"
$apart true || impossible "process 1 of a namespace of its own"
# systemd takes its place for a machine's only at the root of the control groups: those that it makes
# there are removed again.
mkdir "$stage/groups"
mount -t cgroup2 cgroup2 "$stage/groups" || impossible "control groups of version 2"
groups() { find "$stage/groups" -mindepth 1 -depth -type d; }
groups_before=$(groups)
booted=
end_all() {
  [ -z "$booted" ] || kill -KILL $(cat "/proc/$booted/task/$booted/children") 2>/dev/null || true
  { wait || true; } 2>/dev/null
  groups | grep -vxF -e "$groups_before" -e "" | while read -r group; do rmdir "$group" || true; done
  booted=
}
trap end_all EXIT

boot() { # machine|container CONTAINER-VARIABLE
  local said=$stage/$1.said console=$stage/$1.console waited=0
  mkdir "$stage/$1"
  : >"$said"
  : >"$console"
  $apart bash "$here/systemd_root.sh" "$build" "$stage/$1" "$1" "$2" 2>>"$console" &
  booted=$!
  until grep -q '^finished$' "$said" || ! kill -0 $booted 2>/dev/null || [ $waited = 2000 ]; do
    sleep 0.1
    waited=$((waited + 1))
  done
  end_all
  [ -s "$said" ] || { tail -n 5 "$console"; impossible "systemd has not started"; }
  grep -q '^as expected$' "$said" && return
  ! grep '^not possible here' "$said" || exit 77
  cat "$said"
  tail -n 20 "$console"
  echo "a $1: not as expected after $((waited / 10)) s"
  exit 1
}

boot machine ""
boot container lxc
echo "under systemd: enabled, measured, upgraded, disabled, removed, purged; in a container nothing"
