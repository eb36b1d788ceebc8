/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/kernel.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/suggest.h"
#include "base/xalloc.h"
#include "fail.h"

void kernel_fini(struct kernel *k)
{
	free(k->release);
	free(k->suite);
	free(k->image);
	free(k->root);
	memset(k, 0, sizeof(*k));
}

void kernel_list_fini(struct kernel_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		kernel_fini(&list->item[i]);
	free(list->item);
	memset(list, 0, sizeof(*list));
}

int kernel_compare(const char *a, const char *b)
{
	unsigned long na, nb;
	char *end;

	while (*a && *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			na = strtoul(a, &end, 10);
			a = end;
			nb = strtoul(b, &end, 10);
			b = end;
			if (na != nb)
				return na < nb ? -1 : 1;
			continue;
		}
		if (*a != *b)
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
		a++;
		b++;
	}
	return *a ? 1 : *b ? -1 : 0;
}

bool kernel_name_matches(const char *name, const char *release, const char *suite)
{
	size_t n = strlen(name);

	if (n == 0)
		return false;
	if (!strcmp(name, suite))
		return true;
	if (strncmp(name, release, n) != 0)
		return false;
	return !isdigit((unsigned char)name[n - 1]) || !isdigit((unsigned char)release[n]);
}

char *kernel_store(void)
{
	return cache_path("kernels");
}

static char *meta_value(char *meta, const char *key)
{
	size_t n = strlen(key);
	char *line;

	while ((line = next_line(&meta)))
		if (!strncmp(line, key, n) && line[n] == '=')
			return xstrdup(line + n + 1);
	return xstrdup("");
}

static void add_stored(struct kernel_list *list, const char *store, const char *release)
{
	auto_free char *path = xasprintf("%s/%s/meta", store, release), *meta = NULL;
	struct kernel *k;

	if (release[0] == '.' || file_read(path, &meta, NULL, NULL) < 0)
		return;
	GROW(list->item, list->count);
	k = &list->item[list->count++];
	k->release = xstrdup(release);
	k->suite = meta_value(meta, "suite");
	k->root = xasprintf("%s/%s", store, release);
	k->image = xasprintf("%s/vmlinuz", k->root);
}

static int newest_first(const void *a, const void *b)
{
	const struct kernel *ka = a, *kb = b;

	return kernel_compare(kb->release, ka->release);
}

void kernel_store_list(struct kernel_list *out)
{
	auto_free char *store = kernel_store();
	auto_dir DIR *dir = opendir(store);
	const struct dirent *d;

	memset(out, 0, sizeof(*out));
	while (dir && (d = readdir(dir)))
		add_stored(out, store, d->d_name);
	if (out->count)
		qsort(out->item, out->count, sizeof(out->item[0]), newest_first);
}

static char *default_path(void)
{
	auto_free char *store = kernel_store();

	return xasprintf("%s/default", store);
}

char *kernel_default(void)
{
	auto_free char *path = default_path(), *text = NULL;

	if (file_read(path, &text, NULL, NULL) < 0)
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	return text[0] ? steal(&text) : NULL;
}

int kernel_set_default(const char *name, struct vbm_error *err)
{
	auto_free char *path = default_path(), *line = xasprintf("%s\n", name);
	auto_kernel struct kernel k = {0};
	int ret = kernel_find(&k, name, err);

	return ret ? ret : file_replace(path, line, err);
}

static char *modules_root(const char *image, const char *release)
{
	auto_free char *copy = xstrdup(image);
	auto_free char *dir = xstrdup(dirname(copy));
	const char *below[] = {"", "/..", "/../../../..", "/../../.."};
	size_t i;

	for (i = 0; i <= ARRAY_SIZE(below); i++) {
		auto_free char *root = i < ARRAY_SIZE(below) ?
					       xasprintf("%s%s", dir, below[i]) : xstrdup("");
		auto_free char *dep = xasprintf("%s/lib/modules/%s/modules.dep.bin", root, release);

		if (access(dep, R_OK) == 0)
			return root[0] ? realpath(root, NULL) : xstrdup("/");
	}
	return NULL;
}

static int from_path(struct kernel *out, const char *path, struct vbm_error *err)
{
	auto_free char *data = NULL, *release = NULL, *root = NULL;
	size_t len;
	int ret;

	ret = file_read(path, &data, &len, err);
	if (ret == 0) {
		ret = kernel_image_release(data, len, &release, err);
		if (ret < 0)
			return vbm_wrap(err, "kernel %s", path);
	}
	if (ret < 0)
		return ret;
	root = modules_root(path, release);
	if (!root)
		return vbm_fail(err, ENOENT,
				"kernel %s: no lib/modules/%s/modules.dep.bin beside it or in /; unpack its modules "
				"and run depmod -b ROOT %s", path, release, release);
	out->image = realpath(path, NULL);
	out->release = steal(&release);
	out->suite = xstrdup("");
	out->root = steal(&root);
	return 0;
}

static int from_running(struct kernel *out, struct vbm_error *err)
{
	static const char *const places[][2] = {
		{"/boot/vmlinuz-", ""}, {"/lib/modules/", "/vmlinuz"},
	};
	struct utsname u;
	size_t i;

	uname(&u);
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		auto_free char *path = xasprintf("%s%s%s", places[i][0], u.release, places[i][1]);

		if (access(path, F_OK) == 0)
			return from_path(out, path, err);
	}
	return vbm_fail(err, ENOENT,
			"the running kernel's image (/boot/vmlinuz-%s) is not on this machine; fetch "
			"another: verbatim kernel fetch", u.release);
}

static void take(struct kernel *out, struct kernel *from)
{
	*out = *from;
	memset(from, 0, sizeof(*from));
}

static int not_found(const struct kernel_list *list, const char *name, struct vbm_error *err)
{
	auto_free char *hint = NULL;
	struct suggestion s;
	size_t i;

	suggest_init(&s, name);
	for (i = 0; i < list->count; i++) {
		suggest_offer(&s, list->item[i].release);
		suggest_offer(&s, list->item[i].suite);
	}
	hint = suggest_ending(suggest_best(&s));
	return vbm_fail(err, ENOENT,
			"no kernel '%s' in the store%s; fetch it: verbatim kernel fetch %s", name,
			hint, name);
}

static int find_named(struct kernel *out, const char *name, struct vbm_error *err)
{
	auto_kernel_list struct kernel_list list = {0};
	size_t i;

	kernel_store_list(&list);
	for (i = 0; i < list.count; i++) {
		if (!kernel_name_matches(name, list.item[i].release, list.item[i].suite))
			continue;
		take(out, &list.item[i]);
		return 0;
	}
	return not_found(&list, name, err);
}

static int find_newest(struct kernel *out, struct vbm_error *err)
{
	auto_kernel_list struct kernel_list list = {0};

	kernel_store_list(&list);
	if (!list.count)
		return vbm_fail(err, ENOENT,
				"no guest kernel is there; fetch one: verbatim kernel fetch");
	take(out, &list.item[0]);
	return 0;
}

int kernel_find(struct kernel *out, const char *name, struct vbm_error *err)
{
	auto_free char *set = NULL;

	memset(out, 0, sizeof(*out));
	if (!name) {
		set = kernel_default();
		if (set && find_named(out, set, NULL) == 0)
			return 0;
		return find_newest(out, err);
	}
	if (!strcmp(name, "running"))
		return from_running(out, err);
	if (strchr(name, '/'))
		return from_path(out, name, err);
	return find_named(out, name, err);
}
