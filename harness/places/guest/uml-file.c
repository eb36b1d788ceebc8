/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/uml.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/number.h"
#include "base/xalloc.h"
#include "guest/kernel.h"
#include "lib/base/fail.h"
#include "names/device-types.h"
#include "process/program.h"

/* A kernel answers in a few milliseconds. */
#define ANSWER_SECONDS "30"

/* The options that a kernel needs to run scenarios. */
static const char *const vital[] = {
	"CONFIG_UML=y", "CONFIG_RDMA_RXE=y", "CONFIG_INFINIBAND_USER_ACCESS=y", "CONFIG_VETH=y",
	"CONFIG_NET_NS=y", "CONFIG_BLK_DEV_INITRD=y", "CONFIG_HOSTFS=y", "CONFIG_OVERLAY_FS=y",
};

/* The section headers come last, so a file without their end is truncated. */
int uml_check_elf(const char *data, size_t len, struct vbm_error *err)
{
	Elf64_Ehdr h;
	size_t end;

	if (len < sizeof(h) || memcmp(data, ELFMAG, SELFMAG) != 0)
		return vbm_fail(err, ENOEXEC, "it is no program");
	memcpy(&h, data, sizeof(h));
	if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_machine != EM_X86_64 ||
	    (h.e_type != ET_EXEC && h.e_type != ET_DYN))
		return vbm_fail(err, ENOEXEC, "it is no program for x86-64");
	if (__builtin_add_overflow(h.e_shoff, (size_t)h.e_shnum * h.e_shentsize, &end) ||
	    end > len || h.e_shoff == 0)
		return vbm_fail(err, ENOEXEC, "it is not whole; build or copy it again");
	return 0;
}

/* The output of the kernel with this option; the caller frees it. */
static char *ask_kernel(const char *path, const char *option)
{
	auto_free char *program = xstrdup(path), *word = xstrdup(option);
	char timeout[] = "timeout", seconds[] = ANSWER_SECONDS;
	char *argv[] = {timeout, seconds, program, word, NULL}, *text = NULL;
	int status;

	if (program_says(argv, &text, &status, NULL) < 0)
		return xstrdup("");
	return text;
}

static bool has_line(const char *text, const char *line)
{
	size_t n = strlen(line);
	const char *p;

	for (p = text; (p = strstr(p, line)); p += n)
		if ((p == text || p[-1] == '\n') && (!p[n] || p[n] == '\n'))
			return true;
	return false;
}

static int check_file(const char *path, struct vbm_error *err)
{
	auto_free char *data = NULL;
	size_t len;
	int ret = file_read_max(path, UML_FILE_MAX, &data, &len, err);

	if (ret < 0)
		return ret;
	/* Check the file first, because it is run below. */
	ret = uml_check_elf(data, len, err);
	if (ret == 0 && !memmem(data, len, "CONFIG_UML=y", strlen("CONFIG_UML=y")))
		ret = vbm_fail(err, ENOEXEC, "it is no user-mode kernel");
	return ret < 0 ? vbm_wrap(err, "kernel %s", path) : 0;
}

int uml_check_device(const char *path, const struct device_type *device, struct vbm_error *err)
{
	auto_free char *line = xasprintf("%s=y", device->option), *config = ask_kernel(path, "--showconfig");

	if (has_line(config, line))
		return 0;
	return vbm_fail(err, ENODEV, "kernel %s has no %s (it was built without %s): 'verbatim kernel build' "
			"makes one that has it", path, device->name, line);
}

char *uml_label(const char *release, const char *variant)
{
	const char *uml = strstr(release, "-uml");
	char *label = xstrdup(!uml ? release : uml[4] ? uml + 5 : "");
	size_t n = strlen(label), v = strlen(variant);

	if (v && n >= v && !strcmp(label + n - v, variant))
		label[n > v ? n - v - 1 : 0] = '\0';
	return label;
}

static void describe_kernel(struct kernel *out, const char *path, const char *config, const char *version)
{
	const char *hz = strstr(config, "\nCONFIG_HZ=");
	int64_t number;

	out->kind = KERNEL_UML;
	out->release = xstrdup(version);
	out->suite = xstrdup("");
	out->image = xstrdup(path);
	out->from = xstrdup("");
	out->variant = xstrdup(has_line(config, "CONFIG_GCOV_KERNEL=y") ? "coverage" :
			       has_line(config, "CONFIG_KASAN=y") ? "debug" : "");
	out->label = uml_label(version, out->variant);
	out->virtual_time = has_line(config, "CONFIG_UML_TIME_TRAVEL_SUPPORT=y");
	out->hz = hz && number_part(hz + strlen("\nCONFIG_HZ="), strcspn(hz + strlen("\nCONFIG_HZ="), "\n"),
				    0, INT_MAX, &number) ? (int)number : 0;
}

int uml_inspect(struct kernel *out, const char *path, struct vbm_error *err)
{
	auto_free char *full = realpath(path, NULL), *config = NULL, *version = NULL;
	size_t i;
	int ret;

	if (!full)
		return vbm_fail(err, errno, "kernel %s: %m", path);
	ret = check_file(full, err);
	if (ret < 0)
		return ret;
	if (access(full, X_OK) < 0)
		return vbm_fail(err, EACCES, "kernel %s is not executable: chmod +x it", path);
	config = ask_kernel(full, "--showconfig");
	if (!*config)
		return vbm_fail(err, ENOEXEC, "kernel %s does not say its configuration", path);
	for (i = 0; i < ARRAY_SIZE(vital); i++)
		if (!has_line(config, vital[i]))
			return vbm_fail(err, ENOEXEC, "kernel %s: it was built without %s",
					path, vital[i]);
	version = ask_kernel(full, "--version");
	version[strcspn(version, "\n")] = '\0';
	if (!version[0] || strchr(version, '/'))
		return vbm_fail(err, ENOEXEC, "kernel %s does not say its version", path);
	describe_kernel(out, full, config, version);
	return 0;
}
