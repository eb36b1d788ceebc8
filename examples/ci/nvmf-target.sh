#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# On a host of lane guest: offers a disk of 64 MB over RDMA by the kernel's NVMe target.
set -e
modprobe nvmet-rdma
mount -t tmpfs none /srv
truncate -s 64M /srv/disk
cd /sys/kernel/config/nvmet
mkdir -p subsystems/disk/namespaces/1 ports/1
echo 1 >subsystems/disk/attr_allow_any_host
printf %s /srv/disk >subsystems/disk/namespaces/1/device_path
echo 1 >subsystems/disk/namespaces/1/buffered_io
echo 1 >subsystems/disk/namespaces/1/enable
cd ports/1
echo rdma >addr_trtype
echo ipv4 >addr_adrfam
echo "$VERBATIM_IP" >addr_traddr
echo 4420 >addr_trsvcid
ln -s /sys/kernel/config/nvmet/subsystems/disk subsystems/disk
