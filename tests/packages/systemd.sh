# In a mount namespace of its own: what am-tools does under a systemd that runs. It is process 1 of a
# root of its own (systemd_root.sh), once as a machine and once as a container, and runs
# systemd_inside.sh, which ends with a verdict.
set -eu
build=$1 stage=$2
here=$(dirname "$(readlink -f "$0")")
impossible() { echo "not possible here: $*"; exit 77; }
[ -x /lib/systemd/systemd ] || impossible "systemd is not installed"
apart="unshare --pid --fork --cgroup --ipc --uts --mount --propagation private"
$apart true || impossible "process 1 of a namespace of its own"

boot() { # machine|container CONTAINER-VARIABLE
  mkdir "$stage/$1"
  : >"$stage/$1.said"
  : >"$stage/$1.console"
  timeout --signal KILL 150 $apart --kill-child bash "$here/systemd_root.sh" \
    "$build" "$stage/$1" "$1" "$2" &
  while kill -0 $! 2>/dev/null && ! grep -q '^finished$' "$stage/$1.said"; do sleep 0.2; done
  pkill -KILL --parent $! || true
  { wait $! || true; } 2>/dev/null
  [ -s "$stage/$1.said" ] || { tail -n 5 "$stage/$1.console"; impossible "systemd has not started"; }
  grep -q '^as expected$' "$stage/$1.said" || { cat "$stage/$1.said"; exit 1; }
}

boot machine ""
boot container lxc
echo "under systemd: enabled, measured, upgraded, disabled, removed, purged; in a container nothing"
