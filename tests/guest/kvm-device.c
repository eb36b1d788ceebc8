/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * To be preloaded where a machine has no /dev/kvm: one that opens and speaks KVM, which is
 * all that the program looks at before it starts an emulator. kvm.test's emulator is what
 * fails with KVM, so the test needs no more of the device than that.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

int open(const char *path, int flags, ...)
{
	int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
	unsigned int mode;
	va_list ap;

	va_start(ap, flags);
	mode = va_arg(ap, unsigned int);
	va_end(ap);
	return strcmp(path, "/dev/kvm") ? real(path, flags, mode) : memfd_create("kvm", MFD_CLOEXEC);
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*real)(int, unsigned long, ...) = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
	void *arg;
	va_list ap;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	return request == KVM_GET_API_VERSION ? KVM_API_VERSION : real(fd, request, arg);
}
