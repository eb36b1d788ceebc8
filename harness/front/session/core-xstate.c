/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/core-xstate.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

#define SET_OFFSET 464		/* of XCR0 in the note */
#define FRAME_MAGIC 0x46505853	/* FP_XSTATE_MAGIC1 of the kernel's asm/sigcontext.h */

/* The bytes from SET_OFFSET on, as in a signal frame. */
struct frame {
	uint32_t magic, size;
	uint64_t set;
};

static bool read_at(int fd, void *to, size_t len, uint64_t offset)
{
	return offset <= INT64_MAX - len && pread(fd, to, len, (off_t)offset) == (ssize_t)len;
}

static uint64_t padded(uint32_t n)
{
	return ((uint64_t)n + 3) & ~3ULL;
}

static void mend_note(int fd, uint64_t offset, uint32_t size)
{
	struct frame f;

	if (size < SET_OFFSET + sizeof(f) || !read_at(fd, &f, sizeof(f), offset + SET_OFFSET) ||
	    f.magic != FRAME_MAGIC)
		return;
	/* If that fails, gdb itself says what it cannot read. */
	if (pwrite(fd, &f.set, sizeof(f.set), (off_t)(offset + SET_OFFSET)) < 0)
		return;
}

static void mend_notes(int fd, const Elf64_Phdr *p)
{
	uint64_t at = p->p_offset, end = p->p_offset + p->p_filesz;
	Elf64_Nhdr n;

	while (at < end && read_at(fd, &n, sizeof(n), at)) {
		at += sizeof(n) + padded(n.n_namesz);
		if (n.n_type == NT_X86_XSTATE)
			mend_note(fd, at, n.n_descsz);
		at += padded(n.n_descsz);
	}
}

void core_mend_xstate(const char *path)
{
	auto_close int fd = open(path, O_RDWR | O_CLOEXEC);
	Elf64_Ehdr head;
	Elf64_Phdr p;
	unsigned int i;

	if (fd < 0 || !read_at(fd, &head, sizeof(head), 0) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_type != ET_CORE ||
	    head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != EM_X86_64)
		return;
	for (i = 0; i < head.e_phnum; i++)
		if (read_at(fd, &p, sizeof(p), head.e_phoff + (uint64_t)i * sizeof(p)) &&
		    p.p_type == PT_NOTE)
			mend_notes(fd, &p);
}
