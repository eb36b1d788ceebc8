#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# On a host: run a command with an RDMA device of its own, vbm_own on vbm-own with
# 192.0.2.1 and 2001:db8::1. For programs that connect to themselves: in layout
# shared what a host sends to its own address goes to another host.
#
#   own-device.sh COMMAND...
set -e

# A program sees its host's own device only, until it takes that away.
for place in /sys/class/infiniband /sys/class/infiniband_verbs /sys/class/infiniband_mad \
	/dev/infiniband; do
	! mountpoint -q "$place" || umount "$place"
done
ip link add vbm-own type veth peer name vbm-far
ip link set vbm-far up
ip link set vbm-own up
ip address add 192.0.2.1/24 dev vbm-own
ip address add 2001:db8::1/64 dev vbm-own nodad
export VERBATIM_NETDEV=vbm-own
rdma link add vbm_own type rxe netdev vbm-own
exec "$@"
