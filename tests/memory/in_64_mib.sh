#!/bin/sh
# Runs a command with a /dev/shm of 64 MiB, as in many containers; 77 if this user cannot mount.
[ -d /dev/shm ] || exit 77
for how in -rm -m; do
  if unshare $how mount -t tmpfs -o size=64m none /dev/shm 2>/dev/null; then
    exec unshare $how sh -c 'mount -t tmpfs -o size=64m none /dev/shm && exec "$@"' sh "$@"
  fi
done
exit 77
