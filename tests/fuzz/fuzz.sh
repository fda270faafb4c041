#!/bin/sh
# Fuzzes one target from its corpus: fuzz.sh PROGRAM TARGET CORPUS FOUND. For a second, or for a
# minute if LIBAM_TEST_LONG is set, or for LIBAM_FUZZ_SECONDS. What breaks a promise is kept in
# FOUND; test-fuzz-replay TARGET FILE runs it again.
set -u
program=$1 target=$2 corpus=$3 found=$4
seconds=${LIBAM_FUZZ_SECONDS:-$([ -n "${LIBAM_TEST_LONG:-}" ] && echo 60 || echo 1)}
mkdir -p "$found"
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
# The kernel kills whoever exceeds the memory that is left; this says which input did.
LIBAM_FUZZ_TARGET=$target "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
  -max_len=4096 -detect_leaks=0 -print_final_stats=1 -verbosity=0 \
  -artifact_prefix="$found/$target-" "$fresh" "$corpus"
