# Started by systemd (systemd.sh), as `machine` or `container`: installs am-tools, has it measure, and
# upgrades and removes it. Says "as expected", or what was not.
set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
kind=$1
echo "started as a $kind"
timer=am-calibrate.timer
service=am-calibrate.service
profile=/var/lib/am/profile.json
fail() { echo "$*"; systemctl status --no-pager $timer $service || true; exit 1; }
quietly() { "$@" >/opt/test/log 2>&1 || { cat /opt/test/log; fail "$* failed"; }; }
property() { systemctl show --property "$2" --value "$1"; }
expect() { [ "$2" = "$3" ] || fail "$1: '$2', expected '$3'"; }
state_of_timer() { echo "$(systemctl is-enabled $timer 2>&1) $(systemctl is-active $timer)"; }

# What the real measurement would write takes a minute, and a machine that is idle.
measure_little() {
  mkdir -p /etc/systemd/system/$service.d
  cat >/etc/systemd/system/$service.d/little.conf <<END
[Service]
ExecStart=
ExecStart=/usr/bin/am-calibrate run --transport self --rounds 1 --samples 1 --profile $profile
SuccessExitStatus=3
RestartPreventExitStatus=3
END
  systemctl daemon-reload
}

quietly dpkg --no-triggers --install /packages/libam0_*.deb /packages/am-tools_*.deb
if [ "$kind" = container ]; then
  systemd-detect-virt --quiet --container || fail "systemd takes this for a machine"
  measure_little
  systemctl start $service
  expect "the condition in a container" "$(property $service ConditionResult)" no
  [ ! -e $profile ] || fail "a container was measured"
  quietly dpkg --no-triggers --purge am-tools
  echo "as expected"
  exit
fi

if systemd-detect-virt --quiet --container; then
  echo "not possible here: systemd takes a machine for a container"
  exit
fi
expect "installed" "$(state_of_timer)" "enabled active"
systemctl list-timers --no-pager | grep -q "$service" || fail "the timer does not wait for $service"
measure_little
systemctl start $service
expect "measured" "$(property $service Result)" success
[ -s $profile ] || fail "nothing was kept in $profile"
am-calibrate show "$profile" >/dev/null || fail "the profile cannot be read"

rm $profile
echo measure=no >/etc/default/am-tools
systemctl start $service || true
expect "with measure=no" "$(property $service Result)" exec-condition
[ ! -e $profile ] || fail "measured in spite of measure=no"

quietly dpkg-deb --raw-extract /packages/am-tools_*.deb /opt/test/newer
sed -i 's/^Version: .*/&+1/' /opt/test/newer/DEBIAN/control
quietly dpkg-deb --build -Znone /opt/test/newer /opt/test/newer.deb
quietly dpkg --no-triggers --force-confold --install /opt/test/newer.deb
expect "upgraded" "$(state_of_timer)" "enabled active"
expect "the setting after the upgrade" "$(cat /etc/default/am-tools)" measure=no

systemctl --quiet disable --now $timer
quietly dpkg --no-triggers --force-confold --install /packages/am-tools_*.deb
expect "disabled by the administrator, installed again" \
  "$(systemctl is-enabled $timer || true)" disabled

quietly dpkg --no-triggers --remove am-tools
expect "removed" "$(property $timer LoadState)" not-found
[ -e /etc/default/am-tools ] || fail "the setting is removed before the purge"
mkdir -p /var/lib/am && echo '{}' >$profile
quietly dpkg --no-triggers --purge am-tools
[ ! -e /var/lib/am ] && [ ! -e /etc/default/am-tools ] || fail "the purge leaves files"
echo "as expected"
