# In a mount namespace of its own: a root with Debian's base and a compiler, fetched from where this
# machine fetches its packages. Lists of all files before and after must be equal.
set -eu
build=$1
here=$(dirname "$(readlink -f "$0")")
. /etc/os-release
mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' "Identifier: Packages" |
  sed -n "s/ $VERSION_CODENAME\$//p" | head -n 1)
stage=$(mktemp -d "$build/packages/bare-XXXXXX")
trap 'umount -R "$stage/root/proc" "$stage/root/sys" "$stage/root/dev" "$stage/root/packages" 2>/dev/null || true
      rm -rf --one-file-system "$stage"' EXIT
root=$stage/root
debootstrap --variant=minbase --include=g++,make,pkg-config "$VERSION_CODENAME" "$root" "$mirror" \
  >"$stage/log" || { tail -n 20 "$stage/log"; exit 1; }

mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mkdir "$root/packages"
mount --bind "$build/packages" "$root/packages"
cp "$here/use.sh" "$root/tmp"
list() {
  (cd "$root" && find . \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./packages -o -path ./var/lib/dpkg \
    -o -path ./var/lib/apt -o -path ./var/cache -o -path ./var/log -o -path ./etc/ld.so.cache \) \
    -prune -o -printf '%p %y %s %m %l\n' | sort)
}
chroot "$root" apt-get -qq update
list >"$stage/before"
chroot "$root" sh /tmp/use.sh alone
list >"$stage/after"
diff "$stage/before" "$stage/after" || { echo "the packages have left what is above"; exit 1; }
echo "a bare $VERSION_CODENAME: installed, used, purged, nothing left"
