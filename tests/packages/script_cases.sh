# Sourced: a root as of overlay_root.sh, a systemctl that notes its arguments, and what scripts of
# packages leave. Arguments: build folder, stage folder.
. "$(dirname "$(readlink -f "$0")")/overlay_root.sh"
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
unset TMPDIR
timer=am-calibrate.timer
wanted=etc/systemd/system/timers.target.wants/$timer
notes=$root/tmp/systemctl.notes
case=none
: >"$notes"
rm -rf "$root/var/lib/am"

fail() { echo "$case: $*"; exit 1; }
expect() { [ "$2" = "$3" ] || { cat "$notes"; fail "$1: '$2', expected '$3'"; }; }

# What is there of am-tools beside its program files and the database of packages.
remains() {
  (cd "$root" && find etc/default/am-tools* etc/systemd/system/timers.target.wants/am-* \
    usr/lib/systemd/system/am-* var/lib/am var/lib/systemd/deb-systemd-helper-*/*am-calibrate* \
    var/lib/systemd/deb-systemd-helper-*/*/am-calibrate* 2>/dev/null | sort)
}
in_root() { chroot "$root" "$@" >"$stage/log" 2>&1 || { cat "$stage/log"; fail "$* failed"; }; }
noted() { grep -c "$1" "$notes" || true; }

# The systemctl of a systemd that runs: an enabled unit is one with a link.
fake_systemd() {
  mkdir -p "$root/run/systemd/system"
  [ -e "$root/tmp/systemctl.real" ] || cp "$root/usr/bin/systemctl" "$root/tmp/systemctl.real"
  cat >"$root/usr/bin/systemctl" <<'END'
#!/bin/sh
echo "$*" >>/tmp/systemctl.notes
case "$*" in
  *is-enabled*) [ -L /etc/systemd/system/timers.target.wants/am-calibrate.timer ] && echo enabled ;;
  *is-active*) exit 3 ;;
  --root=*) exec /tmp/systemctl.real "$@" ;; # changes files alone
esac
END
  chmod +x "$root/usr/bin/systemctl"
}
no_systemd() {
  rm -rf "$root/run/systemd/system"
  cp "$root/tmp/systemctl.real" "$root/usr/bin/systemctl"
}
