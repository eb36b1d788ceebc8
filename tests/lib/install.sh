# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# Installs the library of the build below $tmp/root. $flags has its pkg-config flags,
# $libdir its folder. Source this file after tests/tap.sh.
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
