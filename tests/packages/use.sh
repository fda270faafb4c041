#!/bin/sh
# Inside a root: installs the packages in /packages, upgrades them, builds the samples with
# pkg-config, runs them under am-run, and removes and purges the packages; with "alone" also their
# dependencies.
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
apt() { apt-get -qq -o Dpkg::Use-Pty=0 -o APT::Sandbox::User=root "$@" </dev/null; }

came_along=${1-}
set -- /packages/*.deb
apt install -y --no-install-recommends "$@"

mkdir /tmp/newer
for package in "$@"; do
  dpkg-deb --raw-extract "$package" /tmp/newer/files
  sed -i -e 's/^Version: .*/&+1/' -e 's/(= \([^)]*\))/(= \1+1)/g' /tmp/newer/files/DEBIAN/control
  dpkg-deb -Znone --build /tmp/newer/files "/tmp/newer/$(basename "$package")" >/dev/null
  rm -r /tmp/newer/files
done
apt install -y --no-install-recommends /tmp/newer/*.deb
[ "$(dpkg-query -W -f '${Version}\n' libam0)" = "$(dpkg-deb --field "$1" Version)+1" ]
rm -r /tmp/newer

mkdir /tmp/samples
cp -r /usr/share/doc/libam-dev/examples/. /tmp/samples
make -s CXXFLAGS= -C /tmp/samples build/hello build/gam build/stress
cd /tmp/samples/build
[ "$(am-run -n 2 ./hello | sort)" = "hello from rank 0 of 2
hello from rank 1 of 2" ]
[ "$(AM_TRANSPORT=tcp am-run -n 3 ./hello | wc -l)" = 3 ]
am-run -n 4 ./gam
am-run -n 3 ./stress --seconds 1 | grep ', 0 lost'
am-info -c >/dev/null
am-calibrate --version
mkdir -p /var/lib/am && echo '{}' >/var/lib/am/profile.json
[ "$(find /dev/shm -name 'am*' | wc -l)" = 0 ]
cd / && rm -r /tmp/samples

names=
for package in "$@"; do names="$names $(dpkg-deb --field "$package" Package)"; done
apt remove -y am-tools
[ ! -e /usr/bin/am-run ]
[ -e /var/lib/am/profile.json ]
# apt no longer knows packages that are removed and in no archive; dpkg accepts them.
dpkg --purge $names
[ ! -e /var/lib/am ]
[ "$came_along" != alone ] || apt autoremove --purge -y
[ -z "$(dpkg-query -W -f '${Package} ' $names 2>/dev/null)" ]
