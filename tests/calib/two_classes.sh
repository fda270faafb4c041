#!/bin/sh
# Pairs of two classes in one job: two_classes.sh AM-RUN PROGRAM. For hwloc each CPU has
# a cache of its own, so that rank 0 shares one with rank 2 and none with rank 1.
taskset -c 0 true && taskset -c 1 true || { echo "needs CPUs 0 and 1"; exit 77; }
export HWLOC_SYNTHETIC="pack:2 l3:1 core:1 pu:1" HWLOC_THISSYSTEM=1
# shellcheck disable=SC2016 # the ranks' shells expand it
exec "$1" -n 3 --bind none sh -c \
  'exec taskset -c $((AM_JOB_RANK % 2)) "$0" --pairs --samples 1 --sample-us 100' "$2"
