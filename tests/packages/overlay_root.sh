# Sourced in a mount namespace of its own: a root with this machine's files, of which all changes are
# kept in memory. Sets root and upper, where these changes are. The packages are in $root/packages.
# Arguments: build folder, stage folder.
mount -t tmpfs tmpfs "$2"
root=$2/root upper=$2/upper
mkdir "$root" "$upper" "$2/work"
mount -t overlay overlay -o "lowerdir=/,upperdir=$upper,workdir=$2/work" "$root"
mount -t tmpfs tmpfs "$root/tmp"
mount --rbind /proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/dev/shm"
mkdir "$root/packages"
mount --bind "$1/packages" "$root/packages"
