#!/usr/bin/env bash
# Installs keepmind for programs in C and C++: the shared library, the static one, the header, and what
# pkg-config needs to find them, as keepmind and as keepmind-static.
#
#   scripts/install-c.sh --prefix DIR [--destdir DIR] [--postgres] [--debug]
#
#   --prefix DIR    where it is used from, such as /usr/local or $HOME/.local
#   --destdir DIR   stands before the prefix while files are copied: for whoever makes packages
#   --postgres      with PostgreSQL as a store, which makes it larger
#   --debug         the build of the tests: quick to build, slow to run, with line numbers for debuggers
#
# Needs cargo and a C compiler.
#
# The static library also holds the bundled SQLite with all its names: a program that links another SQLite
# takes the shared library, which shows nothing but km_*.
set -euo pipefail

usage() {
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2
    exit 2
}

prefix='' destdir='' profile=release features=()
while [ "$#" -gt 0 ]; do
    case $1 in
    --prefix=*) prefix=${1#*=} ;;
    --destdir=*) destdir=${1#*=} ;;
    --prefix | --destdir)
        [ "$#" -ge 2 ] || usage
        if [ "$1" = --prefix ]; then prefix=$2; else destdir=$2; fi
        shift
        ;;
    --postgres) features=(--features postgres) ;;
    --debug) profile=debug ;;
    *) usage ;;
    esac
    shift
done
[ -n "$prefix" ] || usage
absolute() {
    case $1 in
    '' | /*) printf '%s' "$1" ;;
    *) printf '%s' "$PWD/$1" ;;
    esac
}
prefix=$(absolute "$prefix")
destdir=$(absolute "$destdir")

cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version *= *"\(.*\)"/\1/p' Cargo.toml)
# Programs are bound to the interface, not to the version.
abi=$(sed -n 's/^#define KM_ABI //p' include/keepmind.h)

flags=(${features[@]+"${features[@]}"})
[ "$profile" = debug ] || flags+=(--release)
cargo build --locked --package keepmind-ffi ${flags[@]+"${flags[@]}"}
# Cargo says where it built, whatever its settings are.
built=$(cargo build --locked --quiet --package keepmind-ffi --message-format json ${flags[@]+"${flags[@]}"} |
    sed -n 's|.*"\([^"]*\)/libkeepmind_ffi\.a".*|\1|p' | tail -n 1)
if [ -z "$built" ]; then
    echo "cargo does not say where it built the library" >&2
    exit 1
fi

# What a program that links the static library needs besides; only the compiler knows it for each system.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
native=$(rustc --crate-type staticlib --print native-static-libs -o "$scratch/none.a" - </dev/null 2>&1 |
    sed -n 's/^note: native-static-libs: //p')

root=$destdir$prefix
install -d "$root/lib/pkgconfig" "$root/include"
install -m 644 include/keepmind.h "$root/include/keepmind.h"
install -m 644 "$built/libkeepmind_ffi.a" "$root/lib/libkeepmind.a"
case $(uname -s) in
Darwin)
    shared=libkeepmind.$version.dylib
    install -m 755 "$built/libkeepmind_ffi.dylib" "$root/lib/$shared"
    ln -sf "$shared" "$root/lib/libkeepmind.$abi.dylib"
    ln -sf "libkeepmind.$abi.dylib" "$root/lib/libkeepmind.dylib"
    ;;
*)
    shared=libkeepmind.so.$version
    install -m 755 "$built/libkeepmind_ffi.so" "$root/lib/$shared"
    ln -sf "$shared" "$root/lib/libkeepmind.so.$abi"
    ln -sf "libkeepmind.so.$abi" "$root/lib/libkeepmind.so"
    ;;
esac
# The shared one comes stripped.
if [ "$profile" = release ] && command -v strip >/dev/null; then
    strip -S "$root/lib/libkeepmind.a"
fi

# From where the file itself lies: a prefix can be moved as a whole. The static library has a file of its own: beside a
# shared one, -lkeepmind is the shared one whatever else pkg-config is told.
pkg_config() {
    local name=$1 description=$2
    shift 2
    cat >"$root/lib/pkgconfig/$name.pc" <<END
prefix=\${pcfiledir}/../..
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: $name
Description: $description
Version: $version
$(printf '%s\n' "$@")
Cflags: -I\${includedir}
END
}
pkg_config keepmind 'Long-term memory for LLM assistants' \
    'Libs: -L${libdir} -lkeepmind' "Libs.private: $native"
pkg_config keepmind-static 'Long-term memory for LLM assistants, linked into the program' \
    "Libs: \${libdir}/libkeepmind.a $native"

echo "installed keepmind $version ($profile) in $root"
case $prefix in
/usr | /usr/local) echo "now run ldconfig, as root, where the system has it" ;;
*)
    echo "to use it from there:"
    echo "  export PKG_CONFIG_PATH='$prefix/lib/pkgconfig'"
    echo "  cc host.c \$(pkg-config --cflags --libs keepmind) -Wl,-rpath,'$prefix/lib'"
    ;;
esac
