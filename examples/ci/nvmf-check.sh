#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# On the host that has connected the disk: writes it, reads it, compares, and disconnects.
set -e
head -c 4M /dev/urandom >/tmp/data
dd if=/tmp/data of=/dev/nvme0n1 bs=64k oflag=direct
dd if=/dev/nvme0n1 bs=64k count=64 iflag=direct | cmp - /tmp/data
echo the disk has what was written
nvme disconnect -n disk
