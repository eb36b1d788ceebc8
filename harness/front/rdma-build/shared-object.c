/* SPDX-License-Identifier: BSD-2-Clause */
#include "rdma-build/shared-object.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

static const char *machine_name(unsigned int machine)
{
	static const struct {
		unsigned int machine;
		const char *name;
	} names[] = {
		{EM_X86_64, "x86-64"}, {EM_386, "i386"},     {EM_AARCH64, "arm64"},
		{EM_ARM, "arm"},       {EM_PPC64, "ppc64"},  {EM_S390, "s390"},
		{EM_RISCV, "riscv"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].machine == machine)
			return names[i].name;
	return "another machine";
}

static int read_header(const char *path, Elf64_Ehdr *eh, struct vbm_error *err)
{
	auto_close int fd = file_open(path, err);

	if (fd < 0)
		return fd;
	/* The headers of 32 and of 64 bits are the same up to the member for the machine. */
	if (read(fd, eh, sizeof(*eh)) < (ssize_t)sizeof(Elf32_Ehdr) ||
	    memcmp(eh->e_ident, ELFMAG, SELFMAG) != 0)
		return vbm_fail(err, ENOEXEC, "%s is no shared object", path);
	return 0;
}

int shared_object_check(const char *path, struct vbm_error *err)
{
	Elf64_Ehdr it, self;
	int ret = read_header(path, &it, err);

	if (ret == 0)
		ret = read_header("/proc/self/exe", &self, err);
	if (ret < 0)
		return ret;
	if (it.e_machine == self.e_machine &&
	    it.e_ident[EI_CLASS] == self.e_ident[EI_CLASS] &&
	    it.e_ident[EI_DATA] == self.e_ident[EI_DATA])
		return 0;
	return vbm_fail(err, ENOEXEC, "%s is built for %s (%d bits), and this program for %s "
			"(%d bits)", path, machine_name(it.e_machine),
			it.e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64, machine_name(self.e_machine),
			self.e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64);
}
