# In a mount namespace of its own: this machine's root, with all changes kept in memory. What the
# packages leave is then all that is in the upper folder.
set -eu
build=$1 stage=$2
here=$(dirname "$(readlink -f "$0")")
. "$here/overlay_root.sh"
cp "$here/use.sh" "$root/tmp"
# Their dependencies are installed here: without lists apt need not read them, nor fetch anything.
mkdir -p "$root/tmp/lists/partial"
echo 'Dir::State::lists "/tmp/lists";' >"$root/tmp/apt.conf"
APT_CONFIG=/tmp/apt.conf chroot "$root" sh /tmp/use.sh

# Files of the upper folder that are not in the lower one, and markers of deleted files (a device 0,
# 0). A profile of this machine in the lower folder is purged here.
left=$(cd "$upper" && find . \( -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/cache \
    -o -path ./var/log -o -path ./var/lib/am -o -path ./etc/ld.so.cache -o -path ./packages \) \
    -prune -o -print |
  while read -r path; do
    [ -e "/$path" ] && [ ! -c "$path" ] && [ -d "$path" ] || echo "$path"
  done)
[ -z "$left" ] || { echo "the packages have left, or changed, or removed: $left"; exit 1; }
echo "installed, used, purged: nothing left"
