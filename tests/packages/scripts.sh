# In a mount namespace of its own: what the scripts of the Debian package am-tools do when it is
# installed, upgraded, removed and purged: in a chroot, with a systemd that runs, where policy-rc.d
# forbids to start anything, where the administrator has disabled the timer, and without the helpers
# of systemd. After each case nothing is left.
set -eu
build=$1 stage=$2
. "$(dirname "$(readlink -f "$0")")/script_cases.sh"

install() { : >"$notes"; in_root dpkg --no-triggers --install --force-confold "$@"; }

make_newer() { # the same package with a higher version
  in_root dpkg-deb --raw-extract "/packages/$(basename "$build"/packages/am-tools_*.deb)" /tmp/newer
  sed -i 's/^Version: .*/&+1/' "$root/tmp/newer/DEBIAN/control"
  in_root dpkg-deb --build -Znone /tmp/newer /tmp/newer.deb
}

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
expect "stopped for the upgrade" "$(noted "^stop $timer am-calibrate.service\$")" 1
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
