# What quickstart and check share: messages, and the installation of missing packages.
# Sourced by bash from the top of the checkout.

os_release=/etc/os-release
between_tries=15 # seconds

say() { printf '%s: %s\n' "$me" "$*" >&2; }
die() { say "$2"; exit "$1"; }

version() {
  local number commit
  number=$(sed -n 's/.*AM_VERSION_STRING "\(.*\)"/\1/p' libam/include/am/types.h)
  commit=$(git rev-parse --short=7 HEAD 2>/dev/null || echo unknown)
  echo "$me $number (git $commit)"
}

# Lines "package<TAB>purpose" of these lists.
wanted_packages() {
  local list
  for list in "$@"; do
    sed -n 's/^\([^# ]\+\) *# *\(.*\)$/\1\t\2/p' "packaging/packages/$list.txt"
  done
}

# Those of the input lines whose package is not installed.
missing_packages() {
  local package purpose
  while IFS=$'\t' read -r package purpose; do
    dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
      printf '%s\t%s\n' "$package" "$purpose"
  done
}

# True if this os-release file is Debian's or of a derived system.
is_debian() {
  (ID='' ID_LIKE=''; [ -r "$1" ] && . "$1"; case " $ID $ID_LIKE " in
    *' debian '* | *' ubuntu '*) exit 0 ;;
    *) exit 1 ;;
  esac)
}

# A part of need_packages. A machine that has just started may be updating its lists itself, and
# apt-get does not wait for that lock.
update_lists() {
  local tries said
  for tries in {1..20}; do
    [ "$tries" = 1 ] || sleep "$between_tries"
    said=$("${as_root[@]}" apt-get "${options[@]}" update 2>&1 </dev/null) && return
    echo "$said" >&2
    [[ $said = *'Could not get lock'* ]] || return 1
  done
  return 1
}

# Installs the missing packages of these lists; if $dry_run is yes, only prints what it would do.
need_packages() {
  local missing names as_root=()
  if ! is_debian "$os_release"; then
    say "this is neither Debian nor Ubuntu. libam needs (Debian's names):"
    wanted_packages "$@" | sed $'s/\\(.*\\)\t\\(.*\\)/  \\2: \\1/' >&2
    die 2 "install their like, then: cmake --preset release && cmake --build --preset release"
  fi
  missing=$(wanted_packages "$@" | missing_packages)
  if [ -z "$missing" ]; then
    say "every package needed is here"
    return
  fi
  say "missing packages:"
  sed $'s/\\(.*\\)\t\\(.*\\)/  \\1: \\2/' <<<"$missing" >&2
  names=$(cut -f1 <<<"$missing" | paste -sd ' ')
  if [ "$(id -u)" != 0 ]; then
    as_root=(sudo)
    [ -t 0 ] || as_root+=(-n)
  fi
  if [ "$dry_run" = yes ]; then
    say "would run: ${as_root[*]:+${as_root[*]} }apt-get install $names"
    return
  fi
  if [ "${#as_root[@]}" != 0 ] && ! command -v sudo >/dev/null; then
    die 1 "not root and no sudo: ask for 'apt-get install $names', then start $me again"
  fi
  as_root+=(env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8)
  say "installing them with apt-get"
  local options=(-qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
  update_lists || say "the lists of packages are as old as they were; trying with them"
  # shellcheck disable=SC2086 # a list of words
  "${as_root[@]}" apt-get "${options[@]}" install -y --no-install-recommends $names \
    </dev/null >&2 || die 1 "apt-get failed; its message is above"
}

# Configures and builds a preset in build/PRESET: build_preset PRESET [CMAKE-OPTION…].
build_preset() {
  local preset=$1 log quiet=(--quiet)
  shift
  [ -t 2 ] && quiet=()
  say "building build/$preset"
  log=$(mktemp)
  if ! cmake --preset "$preset" "$@" </dev/null >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    die 1 "cmake could not configure build/$preset"
  fi
  rm -f "$log"
  cmake --build --preset "$preset" -- "${quiet[@]}" </dev/null >&2 ||
    die 1 "build/$preset does not build"
}
