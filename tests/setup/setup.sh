#!/usr/bin/env bash
# The effects of quickstart and check on simulated machines, and what check counts: dpkg-query,
# apt-get, sudo, id, cmake and ctest are replaced by stubs.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
checked=0

stand_in() { printf '#!/bin/bash\n%s\n' "$2" >"$stage/$1"; chmod +x "$stage/$1"; }
stand_in dpkg-query 'grep -qx "${@: -1}" "$STAGE/installed" && echo installed'
stand_in apt-get 'echo "apt-get $*" >>"$STAGE/calls"
  case "$*:$(cat "$STAGE/trouble" 2>/dev/null)" in
    *update:locked) rm "$STAGE/trouble"; echo "E: Could not get lock /var/lib/apt/lists/lock"; exit 100 ;;
    *update:broken) echo "E: a repository is broken"; exit 100 ;;
  esac'
stand_in sudo 'echo sudo >>"$STAGE/calls"; [ "$1" != -n ] || shift; exec "$@"'
stand_in id 'echo "${USER_ID:-0}"'

# on_machine SYSTEM DRY-RUN: runs need_packages there; prints its status, its output and its calls.
on_machine() {
  echo "ID=$1" >"$stage/os-release"
  : >"$stage/calls"
  (export PATH="$stage:$PATH" STAGE=$stage
   me=setup dry_run=$2
   . packaging/setup.sh
   os_release=$stage/os-release between_tries=0
   need_packages build check) >"$stage/said" 2>&1
  status=$?
}

expect() { # WHAT CONDITION…
  checked=$((checked + 1))
  if ! "${@:2}"; then
    echo "FAILED: $1"
    sed 's/^/  said: /' "$stage/said"
    sed 's/^/  called: /' "$stage/calls"
    exit 1
  fi
}
said() { grep -q -- "$1" "$stage/said"; }
called() { grep -q -- "$1" "$stage/calls"; }
nothing_called() { [ ! -s "$stage/calls" ]; }

cat packaging/packages/{build,check}.txt | sed -n 's/^\([^# ]\+\).*/\1/p' >"$stage/all"
cp "$stage/all" "$stage/installed"
on_machine debian no
expect "nothing missing: good" [ "$status" = 0 ]
expect "nothing missing: nothing is called" nothing_called

grep -vx -e libhwloc-dev -e python3 "$stage/all" >"$stage/installed"
on_machine debian yes
expect "dry run: good" [ "$status" = 0 ]
expect "dry run: nothing is called" nothing_called
expect "dry run: names what is missing, and why" said 'libhwloc-dev: cores and caches'

on_machine debian no
expect "two missing: good" [ "$status" = 0 ]
expect "two missing: lists are brought up to date" called 'apt-get.* update$'
expect "two missing: installs these two alone" called 'install -y.* libhwloc-dev python3 *$'
expect "root needs no sudo" eval '! called sudo'

echo locked >"$stage/trouble"
on_machine debian no
expect "somebody else updates the lists: good" [ "$status" = 0 ]
expect "somebody else updates the lists: waited for" [ "$(grep -c update "$stage/calls")" = 2 ]
echo broken >"$stage/trouble"
on_machine debian no
expect "no new lists: good, if old ones will do" [ "$status" = 0 ]
expect "no new lists: asked for once" [ "$(grep -c update "$stage/calls")" = 1 ]
expect "no new lists: and said" said 'as old as they were'
expect "no new lists: installs" called 'install -y.* libhwloc-dev python3 *$'
rm "$stage/trouble"

export USER_ID=1000
on_machine ubuntu no
expect "another user goes through sudo" called sudo
expect "another user: installs" called 'install -y.* libhwloc-dev python3 *$'

on_machine fedora no
expect "another system: status 2" [ "$status" = 2 ]
expect "another system: nothing is called" nothing_called
expect "another system: says what is needed, by purpose" said 'cores and caches.*: libhwloc-dev'

for command in ./quickstart ./check; do
  "$command" --no-such-option >"$stage/said" 2>&1
  expect "$command: bad usage is status 2" [ $? = 2 ]
  "$command" --help >"$stage/said" 2>&1
  expect "$command: help" said '^Examples:'
  "$command" --version >"$stage/said" 2>&1
  expect "$command: version" said "^${command#./} [0-9.]* (git [0-9a-z]*)$"
done
# What quickstart runs once it has built; the programs are stubs.
clone=$stage/clone
mkdir -p "$clone/build/release/bin"
cp -r quickstart packaging "$clone"
stand_in clone/build/release/bin/am-calibrate 'echo "am-calibrate $*" >>"$STAGE/calls"
  [ "$1" = report ] || exit "$(cat "$STAGE/measured")"'
starts() { # STATUS-OF-MEASURING ARGUMENT-OF-QUICKSTART…
  echo "$1" >"$stage/measured"
  : >"$stage/calls"
  cat packaging/packages/{build,peers}.txt | sed -n 's/^\([^# ]\+\).*/\1/p' >"$stage/installed"
  PATH="$stage:$PATH" STAGE=$stage USER_ID=0 "$clone/quickstart" "${@:2}" >"$stage/said" 2>&1
  status=$?
}
if (. packaging/setup.sh; is_debian "$os_release"); then
  stand_in cmake ''
  starts 0 --dry-run
  expect "quickstart, dry run: names the report" said 'would run: .*am-calibrate report build/.*report.html$'
  expect "quickstart, dry run: nothing is called" nothing_called
  starts 0
  expect "quickstart: good" [ "$status" = 0 ]
  expect "quickstart: the report is of what was measured" \
    called '^am-calibrate report build/release/quickstart.json -o build/release/report.html$'
  expect "quickstart: ends with the path of the report" \
    eval 'tail -n 1 "$stage/said" | grep -q ": $clone/build/release/report.html$"'
  starts 3
  expect "quickstart, unfit: good" [ "$status" = 0 ]
  expect "quickstart, unfit: the report is of what was measured" \
    called '^am-calibrate report build/release/quickstart.json -o build/release/report.html$'
  expect "quickstart, unfit: which measuring wrote" \
    called '^am-calibrate --quick --json build/release/quickstart.json$'
  starts 1
  expect "quickstart, failed: status 1" [ "$status" = 1 ]
  expect "quickstart, failed: no report" eval '! called report'
fi
# The counts that check makes of ctest's output, with an inner ctest and a skipped test. On other
# machines check ends before that.
(. packaging/setup.sh; is_debian "$os_release") || { echo "$checked expectations held"; exit; }
stand_in cmake 'case "$* " in
  *"--build --preset $(cat "$STAGE/broken" 2>/dev/null) "*) echo "an error of the compiler"; exit 1 ;;
  *"--build --preset $(cat "$STAGE/endless" 2>/dev/null) "*) echo $$ >"$STAGE/builds"; exec sleep 600 ;;
esac'
stand_in ctest 'cat "$STAGE/printed"; exit "$(cat "$STAGE/ended")"'
counts() { # STATUS-OF-CTEST ARGUMENT-OF-CHECK…
  echo "$1" >"$stage/ended"
  cp "$stage/all" "$stage/installed"
  cat packaging/packages/peers.txt | sed -n 's/^\([^# ]\+\).*/\1/p' >>"$stage/installed"
  PATH="$stage:$PATH" STAGE=$stage USER_ID=0 ./check "${@:2}" >"$stage/said" 2>&1
  status=$?
}
cat >"$stage/printed" <<'END'
1/1 Test #1: inner ........***Failed    0.01 sec
0% tests passed, 1 tests failed out of 1
2/3 Test #2: mender .......***Skipped   0.01 sec
67% tests passed, 1 tests failed out of 3

The following tests did not run:
	  2 - mender (Skipped)

The following tests FAILED:
	  1 - outer (Failed)
END
counts 8 quick
expect "counts: a failure is status 1" [ "$status" = 1 ]
expect "counts: ours alone, and what was skipped apart" said '^1 passed, 1 failed$'
expect "counts: who was skipped" said 'build/release: mender was skipped'
expect "counts: and how many" said '1 skipped: '
echo '100% tests passed, 0 tests failed out of 7' >"$stage/printed"
counts 0 quick
expect "counts: all good is status 0" [ "$status" = 0 ]
expect "counts: all good" said '^7 passed, 0 failed$'
expect "counts: nothing skipped, nothing said of it" eval '! said skipped'

# Builds that run while tests run.
counts 0
expect "two builds: the tests of both count" said '^14 passed, 0 failed$'
echo dev >"$stage/broken"
counts 0
expect "a build beside tests fails: status 1" [ "$status" = 1 ]
expect "a build beside tests fails: it is named" said 'build/dev does not build'
expect "a build beside tests fails: what it said is shown" said 'an error of the compiler'
expect "a build beside tests fails: these count" said '^7 passed, 1 failed$'
echo release >"$stage/broken"
counts 0
expect "the first build fails: status 1" [ "$status" = 1 ]
expect "the first build fails: the other is tried" said '^7 passed, 1 failed$'
rm "$stage/broken"
echo dev >"$stage/endless"
PATH="$stage:$PATH" STAGE=$stage USER_ID=0 ./check >"$stage/said" 2>&1 &
check=$!
builds() { kill -0 "$(cat "$stage/builds" 2>/dev/null)" 2>/dev/null; }
for _ in {1..300}; do ! builds || break; sleep 0.1; done
expect "a build takes long: it is at work" builds
kill "$check"
wait "$check"
for _ in {1..300}; do builds || break; sleep 0.1; done
expect "check is ended: so is what it builds" eval '! builds'
echo "$checked expectations held"
