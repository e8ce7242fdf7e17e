#!/bin/sh
# Takes from an environment ($1) what no run needs: symbols, tests, sources of C, fonts, pictures in AVIF.
set -eu
cd "$1"
# What patchelf has written cannot be stripped: the folders *.libs.
find . -name "*.so*" -type f ! -path "*.libs/*" -exec strip --strip-unneeded {} +
find . -type d \( -name tests -o -name test -o -name __pycache__ \) -prune -exec rm -rf {} +
find . -type f \( -name "*.pyx" -o -name "*.pxd" -o -name "*.pyi" -o -name "*.c" -o -name "*.cpp" \
    -o -name "*.h" -o -name "*.a" -o -name "*.dll" -o -name "*.exe" \) -delete
for packages in lib/python3.*/site-packages; do
    rm -rf "$packages"/pip "$packages"/pip-* "$packages"/setuptools "$packages"/setuptools-* \
        "$packages"/numpy/f2py "$packages"/PIL/_avif.* "$packages"/pillow.libs/libavif-* \
        "$packages"/matplotlib/mpl-data/fonts/afm "$packages"/matplotlib/mpl-data/fonts/pdfcorefonts \
        "$packages"/matplotlib/mpl-data/sample_data
done
