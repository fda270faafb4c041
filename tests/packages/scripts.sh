# In a mount namespace of its own: what the scripts of am-tools do when it is installed, upgraded,
# removed and purged: in a chroot, with a systemd that runs (its systemctl is replaced by one that
# notes its arguments), where policy-rc.d forbids to start anything, where the administrator has
# disabled the timer, and without the helpers of systemd. After each case nothing is left.
set -eu
build=$1 stage=$2
here=$(dirname "$(readlink -f "$0")")
. "$here/overlay_root.sh"
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
unset TMPDIR
timer=am-calibrate.timer
wanted=etc/systemd/system/timers.target.wants/$timer
notes=$root/tmp/systemctl.notes
case=none

fail() { echo "$case: $*"; exit 1; }
expect() { [ "$2" = "$3" ] || { cat "$notes"; fail "$1: '$2', expected '$3'"; }; }

# What is there of am-tools beside its program files and dpkg's own.
remains() {
  (cd "$root" && find etc/default/am-tools etc/systemd/system/timers.target.wants/am-* \
    usr/lib/systemd/system/am-* var/lib/am var/lib/systemd/deb-systemd-helper-*/*am-calibrate* \
    var/lib/systemd/deb-systemd-helper-*/*/am-calibrate* 2>/dev/null | sort)
}
in_root() { chroot "$root" "$@" >"$stage/log" 2>&1 || { cat "$stage/log"; fail "$* failed"; }; }
install() { : >"$notes"; in_root dpkg --no-triggers --install --force-confold "$@"; }
noted() { grep -c "$1" "$notes" || true; }

make_newer() { # the same package with a higher version
  in_root dpkg-deb --raw-extract "/packages/$(basename "$build"/packages/am-tools_*.deb)" /tmp/newer
  sed -i 's/^Version: .*/&+1/' "$root/tmp/newer/DEBIAN/control"
  in_root dpkg-deb --build -Znone /tmp/newer /tmp/newer.deb
}

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
no_systemd() { rm -rf "$root/run/systemd/system"; cp "$root/tmp/systemctl.real" "$root/usr/bin/systemctl"; }

remove_and_purge() {
  : >"$notes"
  mkdir -p "$root/var/lib/am" && echo '{}' >"$root/var/lib/am/profile.json"
  in_root dpkg --no-triggers --remove am-tools
  [ -e "$root/etc/default/am-tools" ] || fail "the setting is removed before the purge"
  [ -e "$root/var/lib/am/profile.json" ] || fail "the profile is removed before the purge"
  [ ! -e "$root/usr/lib/systemd/system/$timer" ] || fail "the timer is not removed"
  in_root dpkg --no-triggers --purge am-tools
  expect "after the purge" "$(remains)" ""
}

tools=$(cd "$build/packages" && echo am-tools_*.deb)
library=$(cd "$build/packages" && echo libam0_*.deb)
printf '#!/bin/sh\nexit 1\n' >"$root/usr/bin/ischroot" # it is one, of which the cases know
rm -f "$root/usr/sbin/policy-rc.d" # as images of containers have
: >"$notes"
rm -rf "$root/var/lib/am"
in_root dpkg --install "/packages/$library"
make_newer

case="a chroot"
install "/packages/$tools"
expect "what is installed" "$(remains | grep -v deb-systemd-helper | tr '\n' ' ')" \
  "etc/default/am-tools $wanted usr/lib/systemd/system/am-calibrate.service usr/lib/systemd/system/$timer "
remove_and_purge

case="a systemd that runs"
fake_systemd
install "/packages/$tools"
expect "started" "$(noted "^--quiet --system start $timer\$")" 1
expect "units read" "$(noted '^--system daemon-reload$')" 1
echo 'measure=no' >"$root/etc/default/am-tools"
install /tmp/newer.deb
expect "started by the upgrade" "$(noted "start $timer\$")" 1
expect "the setting after the upgrade" "$(cat "$root/etc/default/am-tools")" measure=no
[ -L "$root/$wanted" ] || fail "the upgrade has disabled the timer"
remove_and_purge
expect "stopped" "$(noted "^stop $timer am-calibrate.service\$")" 1

case="a root inside, although systemd runs"
printf '#!/bin/sh\nexit 0\n' >"$root/usr/bin/ischroot"
install "/packages/$tools"
expect "started, or units read" "$(noted '^--system\|start')" 0
remove_and_purge
printf '#!/bin/sh\nexit 1\n' >"$root/usr/bin/ischroot"

case="policy-rc.d forbids"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod +x "$root/usr/sbin/policy-rc.d"
install "/packages/$tools"
expect "started" "$(noted start)" 0
remove_and_purge
rm "$root/usr/sbin/policy-rc.d"

case="the administrator has disabled it"
install "/packages/$tools"
rm "$root/$wanted"
install /tmp/newer.deb
expect "started by the upgrade" "$(noted "start $timer\$")" 0
[ ! -L "$root/$wanted" ] || fail "the upgrade has enabled the timer again"
remove_and_purge

case="no systemd, and none of its helpers"
no_systemd
mv "$root/usr/bin/deb-systemd-helper" "$root/usr/bin/deb-systemd-invoke" "$root/usr/bin/ischroot" \
  "$root/tmp"
install "/packages/$tools"
expect "what is installed" "$(remains | tr '\n' ' ')" \
  "etc/default/am-tools usr/lib/systemd/system/am-calibrate.service usr/lib/systemd/system/$timer "
said=$(chroot "$root" am-calibrate show 2>&1) && fail "am-calibrate show has found a profile"
case $said in
  *"no profile is kept in /var/lib/am/profile.json yet: am-calibrate measures"*) ;;
  *) fail "am-calibrate show says $said" ;;
esac
remove_and_purge
echo "six cases: installed, upgraded, removed, purged: nothing left"
