#!/bin/sh
# Runs a command whose files may have 64 MiB at most.
ulimit -f $((64 * 1024 * 1024 / 512)) && exec "$@"
