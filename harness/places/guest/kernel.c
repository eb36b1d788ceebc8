/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/kernel.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/cache.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/number.h"
#include "base/own-path.h"
#include "base/suggest.h"
#include "base/xalloc.h"
#include "guest/uml.h"
#include "lib/base/fail.h"

/* Bytes of a "meta", and of the file that names the default. */
#define META_MAX 4096

void kernel_fini(struct kernel *k)
{
	free(k->release);
	free(k->suite);
	free(k->image);
	free(k->root);
	free(k->variant);
	free(k->label);
	free(k->from);
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
	int64_t na, nb;

	while (*a && *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			na = number_begin(a, &a);
			nb = number_begin(b, &b);
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

/* "debug" is the debug kernel of a suite, "linux-debug" that of a tree of this name. */
static bool is_called(const struct kernel *k, const char *name)
{
	auto_free char *full = xasprintf("%s%s%s", k->label,
					 *k->label && *k->variant ? "-" : "", k->variant);

	return !strcmp(name, full) || !strcmp(name, k->suite);
}

bool kernel_name_matches(const char *name, const struct kernel *k)
{
	size_t n = strlen(name);

	if (n == 0)
		return false;
	if (is_called(k, name))
		return true;
	if (strncmp(name, k->release, n) != 0)
		return false;
	return !isdigit((unsigned char)name[n - 1]) || !isdigit((unsigned char)k->release[n]);
}

static const char *const store_names[KERNEL_KINDS] = {
	[KERNEL_GUEST] = "kernels",
	[KERNEL_UML] = "kernels-uml",
};

char *kernel_store(enum kernel_kind kind)
{
	return cache_path(store_names[kind]);
}

static char *meta_value(const char *meta, const char *key)
{
	size_t n = strlen(key);
	const char *line;

	for (line = meta; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (!strncmp(line, key, n) && line[n] == '=')
			return xstrndup(line + n + 1, strcspn(line + n + 1, "\n"));
	return xstrdup("");
}

static void add_stored(struct kernel_list *list, enum kernel_kind kind, const char *store,
		       const char *release)
{
	auto_free char *path = xasprintf("%s/%s/meta", store, release), *meta = NULL;
	auto_free char *hz = NULL, *stored = NULL, *virtual_time = NULL;
	struct kernel *k;
	int64_t number;

	if (release[0] == '.' || file_read_max(path, META_MAX, &meta, NULL, NULL) < 0)
		return;
	GROW(list->item, list->count);
	k = &list->item[list->count++];
	k->release = xstrdup(release);
	k->suite = meta_value(meta, "suite");
	k->variant = meta_value(meta, "variant");
	k->label = meta_value(meta, "label");
	k->from = meta_value(meta, "from");
	k->in_store = true;
	hz = meta_value(meta, "hz");
	k->hz = number_read(hz, 0, INT_MAX, &number) ? (int)number : 0;
	virtual_time = meta_value(meta, "virtual_time");
	k->virtual_time = !strcmp(virtual_time, "yes");
	stored = meta_value(meta, "stored");
	k->stored = strtoll(stored, NULL, 10);
	k->kind = kind;
	k->root = xasprintf("%s/%s", store, release);
	k->image = xasprintf("%s/%s", k->root, kind == KERNEL_UML ? "linux" : "vmlinuz");
}

/* Kernels that a run takes by default come before those that need a name. */
static int rank(const struct kernel *k)
{
	return (*k->variant ? 2 : 0) + (*k->label ? 1 : 0);
}

static int newest_first(const void *a, const void *b)
{
	const struct kernel *ka = a, *kb = b;

	if (rank(ka) != rank(kb))
		return rank(ka) - rank(kb);
	/* A tree may go back and forth between releases, so the last build counts. */
	if (*ka->label && ka->stored != kb->stored)
		return ka->stored > kb->stored ? -1 : 1;
	return kernel_compare(kb->release, ka->release);
}

static bool has_release(const struct kernel_list *list, const char *release)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (!strcmp(list->item[i].release, release))
			return true;
	return false;
}

static void add_folder(struct kernel_list *out, enum kernel_kind kind, const char *store,
		       bool packaged)
{
	auto_dir DIR *dir = opendir(store);
	const struct dirent *d;
	size_t before;

	while (dir && (d = readdir(dir))) {
		if (packaged && has_release(out, d->d_name))
			continue;
		before = out->count;
		add_stored(out, kind, store, d->d_name);
		if (out->count > before)
			out->item[before].packaged = packaged;
	}
}

void kernel_store_list(struct kernel_list *out, enum kernel_kind kind)
{
	auto_free char *store = kernel_store(kind);
	auto_free char *package = own_private_path(store_names[kind]);

	memset(out, 0, sizeof(*out));
	add_folder(out, kind, store, false);
	/* A guest's kernel is unpacked in its folder, so that folder must be the user's. */
	if (kind == KERNEL_UML)
		add_folder(out, kind, package, true);
	if (out->count)
		qsort(out->item, out->count, sizeof(out->item[0]), newest_first);
}

static char *default_path(void)
{
	auto_free char *store = kernel_store(KERNEL_GUEST);

	return xasprintf("%s/default", store);
}

/* NULL where no default is set; the caller frees it. */
static char *kernel_default(void)
{
	auto_free char *path = default_path(), *text = NULL;

	if (file_read_max(path, META_MAX, &text, NULL, NULL) < 0)
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	return text[0] ? steal(&text) : NULL;
}

int kernel_set_default(const char *name, struct vbm_error *err)
{
	auto_free char *path = default_path(), *line = xasprintf("%s\n", name);
	auto_free char *store = kernel_store(KERNEL_GUEST);
	auto_kernel struct kernel k = {0};
	int ret;

	/* Both kinds may have a kernel of this name; one of them is enough. */
	if (kernel_find(&k, KERNEL_UML, name, NULL) < 0 &&
	    kernel_find(&k, KERNEL_GUEST, name, err) < 0)
		return -err->code;
	/* If there are only user-mode kernels, this store does not exist yet. */
	ret = cache_make(store, err);
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
	out->root = steal(&root);
	out->release = steal(&release);
	out->suite = xstrdup("");
	out->variant = xstrdup("");
	out->label = xstrdup("");
	out->from = xstrdup("");
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

static void move_kernel(struct kernel *out, struct kernel *from)
{
	*out = *from;
	memset(from, 0, sizeof(*from));
}

static const char *const get_one[] = {
	[KERNEL_GUEST] = "fetch it: verbatim kernel fetch",
	[KERNEL_UML] = "build it: verbatim kernel build",
};

/* Suites have new names every two years, so any word without a digit at its start may be one. */
static const char *condition_of(const char *name)
{
	return isdigit((unsigned char)*name) ? "" : "verbatim kernel list prints those that are there; if this is a suite of Debian, ";
}

static int not_found(const struct kernel_list *list, enum kernel_kind kind, const char *name,
		     struct vbm_error *err)
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
	return vbm_fail(err, ENOENT, "no %skernel '%s' in the store%s; %s%s %s",
			kind == KERNEL_UML ? "user-mode " : "", name, hint, condition_of(name), get_one[kind], name);
}

static int find_named(struct kernel *out, enum kernel_kind kind, const char *name,
		      struct vbm_error *err)
{
	auto_kernel_list struct kernel_list list = {0};
	struct kernel *found = NULL;
	size_t i;

	kernel_store_list(&list, kind);
	for (i = 0; i < list.count; i++) {
		struct kernel *k = &list.item[i];

		if (!strcmp(name, k->release)) {
			found = k;
			break;
		}
		if (!found && kernel_name_matches(name, k))
			found = k;
	}
	if (!found)
		return not_found(&list, kind, name, err);
	move_kernel(out, found);
	return 0;
}

bool kernel_in_store(struct kernel *out, enum kernel_kind kind, const char *release)
{
	auto_kernel_list struct kernel_list list = {0};
	size_t i;

	kernel_store_list(&list, kind);
	for (i = 0; i < list.count; i++) {
		if (list.item[i].packaged || strcmp(list.item[i].release, release) != 0)
			continue;
		move_kernel(out, &list.item[i]);
		return true;
	}
	return false;
}

static int find_newest(struct kernel *out, enum kernel_kind kind, struct vbm_error *err)
{
	auto_kernel_list struct kernel_list list = {0};

	kernel_store_list(&list, kind);
	if (!list.count)
		return vbm_fail(err, ENOENT, "no %s kernel is there; %s",
				kind == KERNEL_UML ? "user-mode" : "guest", get_one[kind]);
	move_kernel(out, &list.item[0]);
	return 0;
}

int kernel_find(struct kernel *out, enum kernel_kind kind, const char *name,
		struct vbm_error *err)
{
	auto_free char *set = NULL;

	memset(out, 0, sizeof(*out));
	if (!name) {
		set = kernel_default();
		if (set && find_named(out, kind, set, NULL) == 0)
			return 0;
		return find_newest(out, kind, err);
	}
	if (strchr(name, '/') && kind == KERNEL_UML)
		return uml_inspect(out, name, err);
	if (strchr(name, '/'))
		return from_path(out, name, err);
	if (!strcmp(name, "running") && kind == KERNEL_GUEST)
		return from_running(out, err);
	return find_named(out, kind, name, err);
}
