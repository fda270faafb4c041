#!/bin/sh
# Runs a command on the first of the CPUs that may be used here.
cpu=$(taskset -pc $$ | sed 's/.*: //; s/[,-].*//')
exec taskset -c "$cpu" "$@"
