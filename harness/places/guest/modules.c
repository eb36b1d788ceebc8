/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/image.h"

#include <dlfcn.h>
#include <errno.h>
#include <libkmod.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strlist.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

char *module_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	const char *ko = strstr(base, ".ko");
	char *name = ko ? xstrndup(base, (size_t)(ko - base)) : xstrdup(base), *p;

	for (p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	return name;
}

size_t module_unsigned_len(const char *data, size_t len)
{
	static const char mark[] = "~Module signature appended~\n";
	const size_t mark_len = sizeof(mark) - 1, info_len = 12;
	const unsigned char *p;
	size_t size;

	if (len < mark_len + info_len || memcmp(data + len - mark_len, mark, mark_len) != 0)
		return len;
	/* struct module_signature ends with the big-endian size of what is before it */
	p = (const unsigned char *)data + len - mark_len - 4;
	size = (size_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
	if (size > len - mark_len - info_len)
		return len;
	return len - mark_len - info_len - size;
}

/*
 * libkmod is loaded only when an image is made. If this program were linked with it, each
 * guest would also load it and its libcrypto: the image would be two thirds larger, and
 * each boot a tenth of a second longer.
 */
#define LIBKMOD "libkmod.so.2"

static struct {
	__typeof__(kmod_new) *new;
	__typeof__(kmod_unref) *unref;
	__typeof__(kmod_module_new_from_lookup) *lookup;
	__typeof__(kmod_module_get_module) *get;
	__typeof__(kmod_module_get_path) *path;
	__typeof__(kmod_module_probe_insert_module) *probe;
	__typeof__(kmod_module_unref) *release;
	__typeof__(kmod_module_unref_list) *release_list;
} kmod;

static int load_libkmod(struct vbm_error *err)
{
	const struct {
		const char *name;
		void *function;
	} calls[] = {
		{"kmod_new", &kmod.new},
		{"kmod_unref", &kmod.unref},
		{"kmod_module_new_from_lookup", &kmod.lookup},
		{"kmod_module_get_module", &kmod.get},
		{"kmod_module_get_path", &kmod.path},
		{"kmod_module_probe_insert_module", &kmod.probe},
		{"kmod_module_unref", &kmod.release},
		{"kmod_module_unref_list", &kmod.release_list},
	};
	void *library;
	size_t i;

	if (kmod.release_list)
		return 0;
	library = dlopen(LIBKMOD, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return vbm_fail(err, ENOENT, "%s; install it: apt-get install libkmod2", dlerror());
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		void *found = dlsym(library, calls[i].name);

		if (!found)
			return vbm_fail(err, ENOENT, LIBKMOD " has no %s", calls[i].name);
		memcpy(calls[i].function, &found, sizeof(found));
	}
	return 0;
}

/* libkmod passes no argument to its callback, so the list is here. */
static struct string_list *collected;

static void collect_module(struct kmod_module *module, bool install, const char *options)
{
	const char *path = kmod.path(module);	/* NULL: built into the kernel */

	(void)install;
	(void)options;
	if (path)
		string_list_add(collected, path);
}

static int add_module(struct kmod_ctx *ctx, const char *wanted, struct vbm_error *err)
{
	const unsigned all = KMOD_PROBE_DRY_RUN | KMOD_PROBE_IGNORE_LOADED;
	size_t n = strlen(wanted);
	bool optional = n > 0 && wanted[n - 1] == '?';
	auto_free char *name = xstrndup(wanted, n - optional);
	struct kmod_list *found = NULL;
	struct kmod_module *module;
	int ret;

	ret = kmod.lookup(ctx, name, &found);
	if (ret < 0 || !found) {
		if (optional && ret >= 0)
			return 0;
		return vbm_fail(err, ENOENT, "it has no module %s", name);
	}
	module = kmod.get(found);
	ret = kmod.probe(module, all, NULL, NULL, NULL, collect_module);
	kmod.release(module);
	kmod.release_list(found);
	if (ret < 0)
		return vbm_fail(err, -ret, "cannot find what its module %s needs: %s", name,
				strerror(-ret));
	return 0;
}

int modules_closure(const char *dir, const char *const *names, struct string_list *out,
		    struct vbm_error *err)
{
	auto_free char *index = xasprintf("%s/modules.dep.bin", dir);
	const char *no_config[] = {NULL};
	struct kmod_ctx *ctx;
	int ret = load_libkmod(err);

	if (ret < 0)
		return ret;
	if (access(index, R_OK) < 0)
		return vbm_fail(err, errno, "cannot read %s: %m (depmod makes it)", index);
	ctx = kmod.new(dir, no_config);
	if (!ctx)
		return vbm_fail(err, ENOMEM, "cannot read the modules in %s", dir);
	collected = out;
	for (; ret == 0 && *names; names++)
		ret = add_module(ctx, *names, err);
	kmod.unref(ctx);
	return ret;
}
