#!/bin/sh
# Runs a command on the first of the CPUs that are allowed here.
cpu=$(taskset -pc $$ | sed 's/.*: //; s/[,-].*//')
exec taskset -c "$cpu" "$@"
