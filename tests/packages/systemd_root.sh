# In namespaces of its own, as process 1: a root as of overlay_root.sh, in which systemd starts and
# runs systemd_inside.sh. What that says is in STAGE.said, and what systemd says in STAGE.console.
# Arguments: build folder, stage folder, machine or container, and what kind of container.
set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/overlay_root.sh"
stage=$2 kind=$3 container=$4
bind() { touch "$2"; mount --bind "$1" "$2"; }

# File systems of its own: systemd mounts and unmounts there.
umount -R "$root/sys" "$root/dev" "$root/proc"
mount -t proc proc "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys" # the settings of the kernel are this machine's
mount -t sysfs sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs tmpfs "$root/dev"
mkdir "$root/dev/shm" "$root/dev/pts"
for device in null zero full random urandom tty; do bind "/dev/$device" "$root/dev/$device"; done
bind "$stage.console" "$root/dev/console"

# Marks of an image for containers; and a profile of this machine.
rm -rf "$root/.dockerenv" "$root/usr/sbin/policy-rc.d" "$root/var/lib/am"
mkdir -p "$root/opt/test"
cp "$here/systemd_inside.sh" "$root/opt/test"
bind "$stage.said" "$root/opt/test/said"

units=$root/etc/systemd/system
ln -sf /usr/lib/systemd/system/basic.target "$units/default.target"
mkdir -p "$units/basic.target.wants"
cat >"$units/inside.service" <<END
[Unit]
After=basic.target
[Service]
Type=oneshot
ExecStart=/bin/sh /opt/test/systemd_inside.sh $kind
ExecStopPost=/bin/sh -c 'echo finished >>/opt/test/said'
StandardOutput=append:/opt/test/said
StandardError=append:/opt/test/said
END
ln -sf ../inside.service "$units/basic.target.wants"
for changes_the_kernel in systemd-modules-load.service systemd-sysctl.service systemd-binfmt.service \
  systemd-journald-audit.socket systemd-udevd.service systemd-udev-trigger.service modprobe@.service; do
  ln -sf /dev/null "$units/$changes_the_kernel"
done
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin ${container:+"container=$container"} \
  chroot "$root" /lib/systemd/systemd --log-target=console --show-status=0
