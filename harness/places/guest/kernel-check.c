/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/kernel.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/strlist.h"
#include "base/xalloc.h"
#include "guest/image.h"
#include "guest/record.h"
#include "guest/uml.h"
#include "lib/base/fail.h"

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The command that puts the kernel into the store again; the caller frees it. */
static char *kernel_mend(const struct kernel *k)
{
	auto_free char *packed = xasprintf("%s/linux.xz", k->root);

	if (k->packaged)
		return xasprintf("reinstall the package of %s", k->image);
	if (k->kind == KERNEL_GUEST)
		return xasprintf("verbatim kernel fetch%s%s", *k->suite ? " " : "", k->suite);
	if (access(packed, R_OK) == 0)
		return xasprintf("verbatim kernel add %s", packed);
	if (*k->suite)
		return xasprintf("verbatim kernel build%s%s %s", *k->variant ? " --" : "", k->variant,
				 k->suite);
	if (is_folder(k->from))
		return xasprintf("verbatim kernel build --tree %s", k->from);
	return xasprintf("verbatim kernel add %s", *k->from ? k->from : "FILE");
}

int kernel_is_damaged(const struct kernel *k, const char *why, struct vbm_error *err)
{
	auto_free char *mend = kernel_mend(k), *copy = xstrdup(why);

	return vbm_fail(err, KERNEL_DAMAGED, "the kernel %s in the store is damaged: %s; mend it: %s",
			k->release, copy, mend);
}

/* A file that just cannot be read now is not damaged. */
static int judge_record(const struct kernel *k, int state, const struct vbm_error *why,
			struct vbm_error *err)
{
	static const int damages[] = {ENOENT, ENOTDIR, EISDIR, EINVAL, EIO, ENOEXEC, EFBIG};
	size_t i;

	if (state == RECORD_DIFFERS)
		return kernel_is_damaged(k, why->msg, err);
	for (i = 0; i < ARRAY_SIZE(damages); i++)
		if (state == -damages[i])
			return kernel_is_damaged(k, why->msg, err);
	return state < 0 ? vbm_fail(err, why->code, "%s", why->msg) : 0;
}

static int check_whole(const struct kernel *k, struct vbm_error *err)
{
	auto_free char *data = NULL;
	size_t len;
	int ret = file_read(k->image, &data, &len, err);

	if (ret < 0)
		return ret;
	if (k->kind == KERNEL_UML)
		ret = uml_check_elf(data, len, err);
	if (k->kind == KERNEL_GUEST)
		ret = kernel_bzimage_check(data, len, err);
	return ret < 0 ? vbm_wrap(err, "%s", k->image) : 0;
}

int kernel_check(const struct kernel *k, struct vbm_error *err)
{
	const char *name = strrchr(k->image, '/') + 1;
	struct vbm_error why = {0};
	int state;

	if (!k->in_store)
		return 0;
	state = record_compare(k->root, name, &why);
	if (state == RECORD_NONE) {
		state = check_whole(k, &why);
		if (state == 0 && !k->packaged)
			record_keep(k->root, name);
	}
	return judge_record(k, state, &why, err);
}

/* @path begins with the kernel's folder. */
static int check_module(const struct kernel *k, const char *path, struct vbm_error *err)
{
	const char *name = path + strlen(k->root) + 1;
	auto_free char *data = NULL;
	struct vbm_error why = {0};
	size_t len;
	int state = record_compare(k->root, name, &why);

	if (state == RECORD_NONE) {
		state = slim_module_unpack(path, &data, &len, &why);
		/* The file exists, so the tool is missing. */
		if (state == -ENOENT)
			return vbm_fail(err, why.code, "%s", why.msg);
		if (state == 0)
			record_keep(k->root, name);
	}
	return judge_record(k, state, &why, err);
}

int kernel_check_modules(const struct kernel *k, const struct string_list *paths,
			 struct vbm_error *err)
{
	size_t i;
	int ret = 0;

	for (i = 0; k->in_store && ret == 0 && i < paths->count; i++)
		if (!strncmp(paths->item[i], k->root, strlen(k->root)))
			ret = check_module(k, paths->item[i], err);
	return ret;
}

int kernel_check_netem(const struct kernel *k, struct vbm_error *err)
{
	auto_free char *dir = xasprintf("%s/lib/modules/%s", k->root, k->release);
	static const char *const names[] = {KERNEL_NETEM, NULL};
	auto_string_list struct string_list paths = {0};
	struct vbm_error why = {0};

	if (modules_closure(dir, names, &paths, &why) == 0)
		return 0;
	return vbm_fail(err, EOPNOTSUPP, "kernel %s: %s, and --loss, --delay and --rate need netem; lane uml has it",
			k->release, why.msg);
}

/* libkmod maps these files, and a program that maps a truncated file dies of SIGBUS. */
int kernel_check_lists(const struct kernel *k, struct vbm_error *err)
{
	static const char *const lists[] = {
		"dep", "alias", "symbols", "builtin", "builtin.alias",
	};
	struct vbm_error why = {0};
	size_t i;
	int state;

	for (i = 0; k->in_store && i < ARRAY_SIZE(lists); i++) {
		auto_free char *name = xasprintf("lib/modules/%s/modules.%s.bin", k->release,
						 lists[i]);

		state = record_compare(k->root, name, &why);
		if (state == RECORD_DIFFERS)
			return kernel_is_damaged(k, why.msg, err);
		if (state == RECORD_NONE)
			record_keep(k->root, name);
	}
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int kernel_remove(const struct kernel *k, struct vbm_error *err)
{
	if (nftw(k->root, remove_one, 16, FTW_DEPTH | FTW_PHYS) < 0)
		return vbm_fail(err, errno, "cannot remove %s: %m", k->root);
	return 0;
}
