/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: session/core-xstate.c */
#include "cmocka_all.h"

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/core-xstate.h"

#define DESC_SIZE 512
#define SET_OFFSET 464
#define MAGIC 0x46505853u
#define SET 0xe7u

/* The beginning of a core file: one segment of notes, with one note. */
struct core {
	Elf64_Ehdr head;
	Elf64_Phdr segment;
	Elf64_Nhdr note;
	char name[8];
	unsigned char desc[DESC_SIZE];
};

static struct core a_core(void)
{
	struct core c = {
		.head = {
			.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB},
			.e_type = ET_CORE, .e_machine = EM_X86_64,
			.e_phoff = sizeof(Elf64_Ehdr), .e_phnum = 1,
		},
		.segment = {
			.p_type = PT_NOTE,
			.p_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
			.p_filesz = sizeof(Elf64_Nhdr) + 8 + DESC_SIZE,
		},
		.note = {.n_namesz = 6, .n_descsz = DESC_SIZE, .n_type = NT_X86_XSTATE},
		.name = "LINUX",
	};
	const uint32_t frame[] = {MAGIC, DESC_SIZE, SET, 0};

	memcpy(c.desc + SET_OFFSET, frame, sizeof(frame));
	return c;
}

/* Mend the first @len bytes of @c. */
static struct core mended(const struct core *c, size_t len)
{
	char path[] = "/tmp/verbatim-test-core-XXXXXX";
	struct core out = *c;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, c, len), len);
	core_mend_xstate(path);
	assert_int_equal(pread(fd, &out, sizeof(out), 0), len);
	close(fd);
	unlink(path);
	return out;
}

static void assert_unchanged(const struct core *c, size_t len)
{
	struct core out = mended(c, len);

	assert_memory_equal(&out, c, sizeof(out));
}

TEST(test_core_xstate__frame__gets_the_set_in_its_place)
{
	struct core c = a_core(), out = mended(&c, sizeof(c));
	uint64_t set;

	memcpy(&set, out.desc + SET_OFFSET, sizeof(set));
	assert_int_equal(set, SET);
	memcpy(c.desc + SET_OFFSET, &set, sizeof(set));
	assert_memory_equal(&out, &c, sizeof(c));
	assert_unchanged(&c, sizeof(c));
}

static void no_core(struct core *c)
{
	c->head.e_type = ET_EXEC;
}

static void other_machine(struct core *c)
{
	c->head.e_machine = EM_AARCH64;
}

static void other_note(struct core *c)
{
	c->note.n_type = NT_PRSTATUS;
}

static void short_note(struct core *c)
{
	c->note.n_descsz = SET_OFFSET;
}

static void long_name(struct core *c)
{
	c->note.n_namesz = UINT32_MAX;
}

static void notes_beyond_the_end(struct core *c)
{
	c->segment.p_offset = UINT64_MAX - 4;
}

static void segments_beyond_the_end(struct core *c)
{
	c->head.e_phoff = UINT64_MAX - 4;
}

TEST(test_core_xstate__other_files__stay)
{
	static void (*const change[])(struct core *c) = {
		no_core, other_machine, other_note, short_note, long_name,
		notes_beyond_the_end, segments_beyond_the_end,
	};
	struct core c = a_core();
	size_t len, i;

	for (len = 0; len < offsetof(struct core, desc) + SET_OFFSET + 16; len += 7)
		assert_unchanged(&c, len);
	for (i = 0; i < sizeof(change) / sizeof(change[0]); i++) {
		c = a_core();
		change[i](&c);
		assert_unchanged(&c, sizeof(c));
	}
	core_mend_xstate("/nowhere");
}
