#!/usr/bin/env bash
# install_test.sh BUILD - install a build elsewhere, then use it as a stranger would: with pkg-config, with CMake.
set -euo pipefail

build=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

generator=$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$build/CMakeCache.txt")
if [[ $generator == Ninja ]]; then
    echo "what ./dev demo builds is all that is installed"
    demo=$(sed -n '/^demo() {/,/^}/s/^ *build release //p' "$here/../../dev")
    ninja -C "$build" -t targets all | sed -n 's/: .*//p' | sort -u >built
    sed -n "s|.*\"$build/\([^\"]*\)\".*|\1|p" "$build/cmake_install.cmake" | sort -u | comm -12 - built >wanted
    ninja -C "$build" -t commands $demo | tr ' ' '\n' | sed "s|^$build/||" | sort -u >written
    [[ $(wc -l <wanted) -gt 10 ]] || { echo "cmake_install.cmake is not understood"; exit 1; }
    missing=$(comm -23 wanted written)
    [[ -z $missing ]] || { echo "./dev demo leaves unbuilt:" $missing; exit 1; }
fi

cmake --install "$build" --prefix "$place/first" >install.log
for binary in first/bin/keel first/lib*/libkeel.so first/lib/*/libkeel.so; do
    [[ ! -e $binary ]] || ! readelf -d "$binary" | grep -E 'R(UN)?PATH' || { echo "$binary has a RUNPATH"; exit 1; }
done
mv first moved # the installation must not remember where it was put

PKG_CONFIG_PATH=$(dirname "$(find "$place/moved" -name keel.pc)")
export PKG_CONFIG_PATH
LD_LIBRARY_PATH=$(pkg-config --variable=libdir keel)
export LD_LIBRARY_PATH

echo "pkg-config, shared"
cc -o shared "$here/kepler.c" $(pkg-config --cflags --libs keel) -lm
./shared
readelf -d shared | grep -q 'NEEDED.*libkeel\.so\.[0-9]' || { echo "not linked by soname"; exit 1; }

echo "a native method of one's own"
cc -o native "$here/native.c" $(pkg-config --cflags --libs keel) -lm
./native

echo "pkg-config, static"
cc -o static "$here/kepler.c" -static $(pkg-config --cflags --libs --static keel)
env -u LD_LIBRARY_PATH ./static

echo "find_package"
cmake -G "$generator" -S "$here" -B user -DCMAKE_PREFIX_PATH="$place/moved" >configure.log
cmake --build user >user.log
env -u LD_LIBRARY_PATH user/kepler_keel
env -u LD_LIBRARY_PATH user/kepler_keel_static
