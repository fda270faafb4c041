#!/bin/sh
# Fuzzes one target from its corpus: fuzz.sh PROGRAM TARGET CORPUS FOUND. For a second, or for a
# minute if LIBAM_TEST_LONG is set, or for LIBAM_FUZZ_SECONDS. Inputs that break a promise are kept
# in FOUND; test-fuzz-replay TARGET FILE runs one again.
set -u
program=$1 target=$2 corpus=$3 found=$4
seconds=${LIBAM_FUZZ_SECONDS:-$([ -n "${LIBAM_TEST_LONG:-}" ] && echo 60 || echo 1)}
mkdir -p "$found"
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
# The kernel kills a process that exceeds the free memory; this limit reports the input instead.
LIBAM_FUZZ_TARGET=$target "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
  -max_len=4096 -detect_leaks=0 -print_final_stats=1 -verbosity=0 \
  -artifact_prefix="$found/$target-" "$fresh" "$corpus"
