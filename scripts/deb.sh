#!/usr/bin/env bash
# Makes a Debian package of the program, the library and its headers, and checks it: `make deb`, `make soak PARTS=deb`.
#
#   scripts/deb.sh BUILD [FOLDER]      BUILD: a build folder; the package comes into FOLDER [dist]
#
#   CHECK=yes   install it on a new Debian that has nothing else, run the program there, and link with the library
#
# Exit: 0 the package is there, and passes; 1 not; 2 usage; 77 there is no such Debian to be had.
set -euo pipefail
cd "$(dirname "$0")/.."

[[ $# -ge 1 && $1 != -* ]] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | head -n -1; exit 2; }
build=$1 folder=${2:-dist}
for program in cpack dpkg-deb dpkg-shlibdeps; do
  command -v "$program" > /dev/null || { echo "✗ $program: not found. apt-get install cmake dpkg-dev" >&2; exit 1; }
done
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
cpack --config "$build/CPackConfig.cmake" -G DEB -B "$made" > "$made/log" || { cat "$made/log"; exit 1; }
package=$(echo "$made"/*.deb)
dpkg-deb --contents "$package" > "$made/contents"
for file in usr/bin/apsp usr/lib/libapsp.so usr/lib/libapsp.a usr/include/apsp/apsp.h usr/include/apsp/apsp.hpp \
  usr/lib/pkgconfig/apsp.pc usr/lib/cmake/apsp/apspConfig.cmake usr/share/man/man1/apsp.1; do
  grep -q " \./$file\( \|$\)" "$made/contents" || { echo "$package has no /$file" >&2; exit 1; }
done
dpkg-deb --field "$package" Depends | grep -q libc6 || { echo "$package does not say what it needs" >&2; exit 1; }
mkdir -p "$folder"
cp "$package" "$folder"
echo "$folder/${package##*/}: $(($(stat -c %s "$package") >> 10)) KiB"
[[ ${CHECK-} == yes ]] || exit 0

TAKE=$package .ci/bare_debian bash -euc '
  apt-get update > /dev/null
  apt-get install -y --no-install-recommends /taken/*.deb > /dev/null
  apsp gen -q --n 400 -o /tmp/graph.bin
  apsp /tmp/graph.bin --verify
  apt-get install -y --no-install-recommends gcc libc6-dev pkg-config > /dev/null
  gcc /usr/share/doc/apsp/examples/towns.c $(pkg-config --cflags --libs apsp) -o /tmp/towns
  /tmp/towns
  apt-get remove -y apsp > /dev/null
  test ! -e /usr/bin/apsp'
