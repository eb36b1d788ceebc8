# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# The library of the build, installed below $tmp/root: its pkg-config flags are in
# $flags, its folder in $libdir. To be sourced after tests/tap.sh.
# shellcheck disable=SC2154 # of tests/tap.sh

check 'it installs' make -s -C "$VBM_BUILDDIR" DESTDIR="$tmp/root" \
	install-libLTLIBRARIES install-verbatimincludeHEADERS install-pkgconfigDATA
prefix=$(sed -n 's/^prefix = //p' "$VBM_BUILDDIR/Makefile")
libdir=$tmp/root$prefix/lib
PKG_CONFIG_PATH=$libdir/pkgconfig PKG_CONFIG_SYSROOT_DIR=$tmp/root
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
run pkg-config --cflags --libs libverbatim
is_status 0 'pkg-config knows it'
# shellcheck disable=SC2034 # the tests use it
flags=$out
