/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/kernel.h"

#include <errno.h>
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "guest/record.h"
#include "lib/base/fail.h"
#include "process/program.h"

#define VMLINUX "vmlinux"
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

/*
 * Boot protocol 2.08: the number of set-up sectors is at 0x1f1, the place and
 * size of the packed kernel are at 0x248. False when there is no such head.
 */
static bool find_packed(const char *image, size_t len, size_t *at, size_t *size)
{
	size_t sectors;

	if (len < 0x250 || memcmp(image + 0x202, "HdrS", 4) != 0 ||
	    (unsigned char)image[0x207] < 2 || (image[0x207] == 2 && (unsigned char)image[0x206] < 8))
		return false;
	sectors = (unsigned char)image[0x1f1] ? (unsigned char)image[0x1f1] : 4;
	*at = (sectors + 1) * 512 + le32(image + 0x248);
	*size = le32(image + 0x24c);
	return true;
}

int kernel_bzimage_check(const char *image, size_t len, struct vbm_error *err)
{
	size_t at, size;

	if (!find_packed(image, len, &at, &size))
		return vbm_fail(err, ENOEXEC, "not an x86 boot image (bzImage)");
	if (at > len || size > len - at)
		return vbm_fail(err, ENOEXEC, "the boot image is not whole");
	return 0;
}

bool kernel_bzimage_find_payload(const char *image, size_t len, struct bzimage_payload *out)
{
	size_t at, size, i;

	if (!find_packed(image, len, &at, &size) || size < 8 || at > len || size > len - at)
		return false;
	for (i = 0; i < ARRAY_SIZE(packers); i++) {
		if (memcmp(image + at, packers[i].magic, packers[i].len) != 0)
			continue;
		/*
		 * The last four bytes, after the packed data, say how long the
		 * data is unpacked.
		 */
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

bool kernel_vmlinux_has_entry(const char *elf, size_t len)
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

/*
 * Boot protocol 2.00 and later: "HdrS" is at 0x202, the place of the version at
 * 0x20e.
 */
int kernel_image_release(const char *data, size_t len, char **release,
			 struct vbm_error *err)
{
	const unsigned char *p = (const unsigned char *)data;
	size_t at;

	if (len < 0x210 || memcmp(data + 0x202, "HdrS", 4) != 0)
		return vbm_fail(err, ENOEXEC, "not an x86 boot image (bzImage)");
	at = (p[0x20e] | p[0x20f] << 8) + 0x200u;
	if (at == 0x200 || at >= len || !memchr(data + at, '\0', len - at))
		return vbm_fail(err, ENOEXEC, "the boot image does not say its version");
	*release = xstrndup(data + at, strcspn(data + at, " "));
	if (!**release || strchr(*release, '/')) {
		free(*release);
		return vbm_fail(err, ENOEXEC, "the boot image does not say its version");
	}
	return 0;
}

static int write_new(char *path, int suffix_len, const char *data, size_t len)
{
	auto_close int fd = mkostemps(path, suffix_len, O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -1;
	ret = file_write(fd, data, len);
	if (ret < 0)
		unlink(path);
	return ret;
}

static int unpack(const struct bzimage_payload *p, const char *dir, char **data, size_t *len)
{
	auto_free char *packed = xasprintf("%s/.packed.XXXXXX%s", dir, p->suffix);
	auto_free char *tool = xstrdup(p->tool);
	char how[] = "-dc";
	char *argv[] = {tool, how, packed, NULL};
	int ret;

	if (p->unpacked_len > FILE_MAX || write_new(packed, (int)strlen(p->suffix), p->data, p->len) < 0)
		return -1;
	ret = program_output(argv, p->unpacked_len, data, len, NULL);
	unlink(packed);
	if (ret < 0)
		return ret;
	return *len == p->unpacked_len && kernel_vmlinux_has_entry(*data, *len) ? 0 : -1;
}

static int unpack_vmlinux(const char *image, const char *dir, const char *path)
{
	auto_free char *packed = NULL, *data = NULL, *tmp = xasprintf("%s/.new.XXXXXX", dir);
	struct bzimage_payload payload;
	size_t len;

	if (file_read(image, &packed, &len, NULL) < 0 ||
	    !kernel_bzimage_find_payload(packed, len, &payload) ||
	    unpack(&payload, dir, &data, &len) < 0 || write_new(tmp, 0, data, len) < 0)
		return -1;
	if (chmod(tmp, 0644) == 0 && rename(tmp, path) == 0) {
		record_keep(dir, VMLINUX);
		return 0;
	}
	unlink(tmp);
	return -1;
}

/* Whether the unpacked kernel is there and undamaged. */
static bool is_kept(const struct kernel *kernel, const char *path)
{
	int state = record_compare(kernel->root, VMLINUX, NULL);
	auto_free char *data = NULL;
	size_t len;

	if (state == RECORD_NONE && file_read(path, &data, &len, NULL) == 0 &&
	    kernel_vmlinux_has_entry(data, len)) {
		record_keep(kernel->root, VMLINUX);
		return true;
	}
	return state == RECORD_SAME;
}

char *kernel_vmlinux_path(const struct kernel *kernel)
{
	auto_free char *path = xasprintf("%s/" VMLINUX, kernel->root);

	/* Only the store's own folders may get a new file beside the boot image. */
	if (kernel->suite[0] && (is_kept(kernel, path) ||
				 unpack_vmlinux(kernel->image, kernel->root, path) == 0))
		return steal(&path);
	return xstrdup(kernel->image);
}
