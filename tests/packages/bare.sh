# In a mount namespace of its own: a root with Debian's base and a compiler, fetched from this
# machine's package sources. The lists of all files before and after must be equal. am-peers is
# excluded: it depends on MPIs, whose packages do leave files. So do dependencies of UCX and PMIx (a
# group for InfiniBand), which are installed and removed before the first list.
set -eu
build=$1 stage=$2
here=$(dirname "$(readlink -f "$0")")
. /etc/os-release
mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' "Identifier: Packages" |
  sed -n "s/ $VERSION_CODENAME\$//p" | head -n 1)
root=$stage/root
debootstrap --variant=minbase --include=g++,make,pkg-config "$VERSION_CODENAME" "$root" "$mirror" \
  >"$stage/log" || { tail -n 20 "$stage/log"; exit 1; }

mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/dev/shm"
mkdir "$root/packages"
cp "$build"/packages/libam*.deb "$build"/packages/am-tools*.deb "$root/packages"
cp "$here/use.sh" "$root/tmp"
list() {
  (cd "$root" && find . \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./packages \
    -o -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/cache -o -path ./var/log -o -path ./etc/ld.so.cache \) \
    -prune -o -type d -printf '%p %m\n' -o -printf '%p %y %s %m %l\n' | sort)
}
chroot "$root" apt-get -qq update
others='libucx0 libpmix2'
export DEBIAN_FRONTEND=noninteractive
chroot "$root" apt-get -qq install -y $others >"$stage/log" 2>&1 &&
  chroot "$root" apt-get -qq purge -y --autoremove $others >>"$stage/log" 2>&1 ||
  { tail -n 20 "$stage/log"; exit 1; }
list >"$stage/before"
chroot "$root" sh /tmp/use.sh alone
list >"$stage/after"
diff "$stage/before" "$stage/after" || { echo "the packages have left what is above"; exit 1; }
echo "a bare $VERSION_CODENAME: installed, used, purged, nothing left"
