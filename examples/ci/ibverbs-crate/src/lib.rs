// SPDX-License-Identifier: BSD-2-Clause
//! As much of libibverbs as a test of a crate needs: devices, GIDs, memory and completion queues.
use std::ffi::{c_char, c_int, c_void, CStr};
use std::io::Error;
use std::net::Ipv6Addr;
use std::ptr::null_mut;

#[link(name = "ibverbs")]
extern "C" {
    fn ibv_get_device_list(count: *mut c_int) -> *mut *mut c_void;
    fn ibv_free_device_list(list: *mut *mut c_void);
    fn ibv_get_device_name(device: *mut c_void) -> *const c_char;
    fn ibv_open_device(device: *mut c_void) -> *mut c_void;
    fn ibv_close_device(context: *mut c_void) -> c_int;
    fn ibv_query_gid(context: *mut c_void, port: u8, index: c_int, gid: *mut [u8; 16]) -> c_int;
    fn ibv_alloc_pd(context: *mut c_void) -> *mut c_void;
    fn ibv_dealloc_pd(pd: *mut c_void) -> c_int;
    fn ibv_reg_mr(pd: *mut c_void, address: *mut c_void, length: usize, access: c_int) -> *mut c_void;
    fn ibv_dereg_mr(region: *mut c_void) -> c_int;
    fn ibv_create_cq(context: *mut c_void, entries: c_int, own: *mut c_void, channel: *mut c_void, vector: c_int)
        -> *mut c_void;
    fn ibv_destroy_cq(queue: *mut c_void) -> c_int;
}

fn known(pointer: *mut c_void) -> Result<*mut c_void, Error> {
    if pointer.is_null() { Err(Error::last_os_error()) } else { Ok(pointer) }
}

pub struct Device {
    pub name: String,
    context: *mut c_void,
}

impl Device {
    /// The first device of this machine.
    pub fn first() -> Result<Device, Error> {
        let mut count = 0;
        unsafe {
            let list = ibv_get_device_list(&mut count);
            known(list.cast())?;
            let device = if count > 0 { *list } else { null_mut() };
            let opened = known(device).and_then(|d| {
                let name = CStr::from_ptr(ibv_get_device_name(d)).to_string_lossy().into_owned();
                Ok(Device { name, context: known(ibv_open_device(d))? })
            });
            ibv_free_device_list(list);
            opened
        }
    }

    pub fn gid(&self, index: i32) -> Result<Ipv6Addr, Error> {
        let mut gid = [0u8; 16];
        match unsafe { ibv_query_gid(self.context, 1, index, &mut gid) } {
            0 => Ok(Ipv6Addr::from(gid)),
            _ => Err(Error::last_os_error()),
        }
    }

    /// Registers `memory` with access rights and releases it again.
    pub fn register(&self, memory: &mut [u8], access: i32) -> Result<(), Error> {
        unsafe {
            let pd = known(ibv_alloc_pd(self.context))?;
            let region = known(ibv_reg_mr(pd, memory.as_mut_ptr().cast(), memory.len(), access));
            let result = region.map(|r| assert_eq!(ibv_dereg_mr(r), 0));
            assert_eq!(ibv_dealloc_pd(pd), 0);
            result
        }
    }

    pub fn completion_queue(&self, entries: i32) -> Result<(), Error> {
        unsafe {
            let queue = known(ibv_create_cq(self.context, entries, null_mut(), null_mut(), 0))?;
            assert_eq!(ibv_destroy_cq(queue), 0);
        }
        Ok(())
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        unsafe { ibv_close_device(self.context) };
    }
}
