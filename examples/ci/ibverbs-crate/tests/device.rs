// SPDX-License-Identifier: BSD-2-Clause
use ibverbs_crate::Device;
use std::env::var;
use std::net::Ipv4Addr;

#[test]
fn the_device_is_that_of_the_host() {
    assert_eq!(Device::first().unwrap().name, var("VERBATIM_DEV").unwrap());
}

#[test]
fn its_address_is_a_gid() {
    let index = var("VERBATIM_GID_INDEX").unwrap().parse().unwrap();
    let address: Ipv4Addr = var("VERBATIM_IP").unwrap().parse().unwrap();
    assert_eq!(Device::first().unwrap().gid(index).unwrap(), address.to_ipv6_mapped());
}

#[test]
fn memory_is_registered() {
    Device::first().unwrap().register(&mut [0; 8192], 1).unwrap();
}

#[test]
fn remote_writes_need_local_writes() {
    let error = Device::first().unwrap().register(&mut [0; 8192], 2).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(22));
}

#[test]
fn a_completion_queue_is_made() {
    Device::first().unwrap().completion_queue(16).unwrap();
}
