/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/bzimage.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

#include "base/xalloc.h"

#define XEN_NOTE_PHYS32_ENTRY 18

static const struct {
	const char *magic;
	size_t len;
	const char *tool, *suffix;
} packers[] = {
	{"\xfd" "7zXZ", 5, "xz", ".xz"},
	{"\x28\xb5\x2f\xfd", 4, "zstd", ".zst"},
	{"\x1f\x8b", 2, "gzip", ".gz"},
};

static uint32_t le32(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;

	return u[0] | u[1] << 8 | u[2] << 16 | (uint32_t)u[3] << 24;
}

/* Boot protocol 2.08: set-up sectors at 0x1f1, payload's place at 0x248. */
bool bzimage_find_payload(const char *image, size_t len, struct bzimage_payload *out)
{
	size_t sectors, at, size, i;

	if (len < 0x250 || memcmp(image + 0x202, "HdrS", 4) != 0 ||
	    (unsigned char)image[0x207] < 2 || (image[0x207] == 2 && (unsigned char)image[0x206] < 8))
		return false;
	sectors = (unsigned char)image[0x1f1] ? (unsigned char)image[0x1f1] : 4;
	at = (sectors + 1) * 512 + le32(image + 0x248);
	size = le32(image + 0x24c);
	if (size < 8 || at > len || size > len - at)
		return false;
	for (i = 0; i < ARRAY_SIZE(packers); i++) {
		if (memcmp(image + at, packers[i].magic, packers[i].len) != 0)
			continue;
		/* The last four bytes, after the packed data, are its size unpacked. */
		*out = (struct bzimage_payload){
			.data = image + at,
			.len = size - 4,
			.unpacked_len = le32(image + at + size - 4),
			.tool = packers[i].tool,
			.suffix = packers[i].suffix,
		};
		return true;
	}
	return false;
}

static bool notes_have_entry(const char *p, size_t len)
{
	Elf64_Nhdr note;
	size_t size;

	while (len >= sizeof(note)) {
		memcpy(&note, p, sizeof(note));
		size = sizeof(note) + ((note.n_namesz + 3ul) & ~3ul) + ((note.n_descsz + 3ul) & ~3ul);
		if (size > len)
			return false;
		if (note.n_type == XEN_NOTE_PHYS32_ENTRY && note.n_namesz == 4 &&
		    !memcmp(p + sizeof(note), "Xen", 4))
			return true;
		p += size;
		len -= size;
	}
	return false;
}

bool vmlinux_has_entry(const char *elf, size_t len)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;
	size_t i;

	if (len < sizeof(eh) || memcmp(elf, ELFMAG, SELFMAG) != 0)
		return false;
	memcpy(&eh, elf, sizeof(eh));
	if (eh.e_phoff > len || (len - eh.e_phoff) / sizeof(ph) < eh.e_phnum)
		return false;
	for (i = 0; i < eh.e_phnum; i++) {
		memcpy(&ph, elf + eh.e_phoff + i * sizeof(ph), sizeof(ph));
		if (ph.p_type == PT_NOTE && ph.p_offset <= len && ph.p_filesz <= len - ph.p_offset &&
		    notes_have_entry(elf + ph.p_offset, ph.p_filesz))
			return true;
	}
	return false;
}
