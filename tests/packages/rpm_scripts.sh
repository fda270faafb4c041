# In a mount namespace of its own: what the scripts of the RPM am-tools do when it is installed,
# upgraded and erased, with a systemd that runs and without one. After each case nothing is left.
set -eu
build=$1 stage=$2
. "$(dirname "$(readlink -f "$0")")/script_cases.sh"

rpm_in_root() { : >"$notes"; in_root rpm --dbpath /tmp/rpmdb --nodeps "$@"; }
# The same package with a higher release.
mkdir "$stage/newer"
cpack -G RPM --config "$build/CPackConfig.cmake" -B "$stage/newer" -D CPACK_RPM_PACKAGE_RELEASE=2 \
  -D CPACK_COMPONENTS_ALL=am-tools >"$stage/log" 2>&1 || { cat "$stage/log"; exit 1; }
cp "$stage"/newer/am-tools-*-2.*.rpm "$root/tmp/newer.rpm"
tools=/packages/$(cd "$build/packages" && echo am-tools-*.rpm)

erase() {
  mkdir -p "$root/var/lib/am" && echo '{}' >"$root/var/lib/am/profile.json"
  rpm_in_root --erase am-tools
}

case="a systemd that runs"
fake_systemd
rpm_in_root --install "$tools"
expect "presets asked" "$(noted "^--no-reload preset $timer\$")" 1
expect "units read" "$(noted '^daemon-reload$')" 1
echo 'measure=no' >"$root/etc/default/am-tools"
rpm_in_root --upgrade /tmp/newer.rpm
expect "presets asked, or disabled, by the upgrade" "$(noted 'preset\|disable')" 0
expect "measurements stopped by the upgrade" "$(noted '^stop am-calibrate.service$')" 1
expect "the timer restarted, if it ran" "$(noted "^try-restart $timer\$")" 1
expect "the setting after the upgrade" "$(cat "$root/etc/default/am-tools")" measure=no
erase
expect "disabled" "$(noted "^--no-reload disable --now $timer am-calibrate.service\$")" 1
expect "after erasing" "$(remains)" etc/default/am-tools.rpmsave # rpm keeps what was changed
rm "$root/etc/default/am-tools.rpmsave"

case="no systemd"
no_systemd
rm "$root/usr/bin/systemctl"
rpm_in_root --install "$tools"
expect "what is installed" "$(remains | tr '\n' ' ')" \
  "etc/default/am-tools usr/lib/systemd/system/am-calibrate.service usr/lib/systemd/system/$timer "
erase
expect "after erasing" "$(remains)" ""
echo "two cases: installed, upgraded, erased: nothing left"
