/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "cmd/cmd-verb.h"
#include "cmd/cmd-util.h"
#include "cmd/cmd.h"
#include "guest/image.h"
#include "guest/kernel.h"
#include "guest/uml.h"
#include "names/device-words.h"

/* The kernels that "kernel fetch" gets without a name: one of each kind. */
static const char *const usual[] = {"trixie-backports", "6.1", "6.12"};

static int list_kernels(int argc, char **argv);
static int fetch(int argc, char **argv);
static int build_kernels(int argc, char **argv);
static int add_kernels(int argc, char **argv);
static int set_default(int argc, char **argv);

static const struct cmd_verb verbs[] = {
	{"list", "", "print the kernels; * marks the default", list_kernels},
	{"fetch", " [NAME]...", "get Debian's kernels, which QEMU boots", fetch},
	{"build", " [OPTION]... [NAME]",
	 "build a user-mode kernel, a program, from Debian's source or from your\n"
	 "           own tree: see verbatim kernel build --help", build_kernels},
	{"add", " FILE...", "add a user-mode kernel (linux or linux.xz) from another machine", add_kernels},
	{"default", " [NAME]", "print or set the kernel that a run takes", set_default},
};

static int print_kernel_usage(FILE *f);

static const struct cmd_verbs all_verbs = {"kernel", verbs, ARRAY_SIZE(verbs), print_kernel_usage};

static int print_kernel_usage(FILE *f)
{
	size_t i;

	cmd_verb_synopsis(&all_verbs, f);
	fputs("\n"
	      "Kernels for lanes guest and uml. NAME is a version (6.1, 6.12, 7.2) or a Debian "
	      "suite\n"
	      "(trixie-backports), which means its present kernel.\n"
	      "\n", f);
	cmd_verb_docs(&all_verbs, f);
	fputs("\n"
	      "Without a name, fetch gets the kernels of ", f);
	for (i = 0; i < ARRAY_SIZE(usual); i++)
		fprintf(f, "%s%s", i ? ", " : "", usual[i]);
	fputs(".\nA run also takes --kernel PATH, of a vmlinuz or a user-mode kernel, and\n"
	      "--kernel running.\n", f);
	return f == stdout ? EXIT_OK : EXIT_USAGE;
}

/* The label is the name of the tree's folder, which may have any characters. */
static void print_kernel(const struct kernel *k, bool chosen)
{
	auto_free char *release = visible_line(k->release);
	auto_free char *from = visible_line(k->packaged ? "of a package" : *k->suite ? k->suite : k->label);

	printf("%s %-36s %s\n", chosen ? "*" : " ", release, from);
}

/* Returns the number of kernels. */
static size_t print_kind(enum kernel_kind kind, const char *title)
{
	auto_kernel_list struct kernel_list all = {0};
	auto_kernel struct kernel chosen = {0};
	const struct kernel *k;
	size_t i;

	kernel_store_list(&all, kind);
	kernel_find(&chosen, kind, NULL, NULL);
	if (all.count)
		puts(title);
	for (i = 0; i < all.count; i++) {
		k = &all.item[i];
		print_kernel(k, strcmp(k->release, chosen.release) == 0);
	}
	return all.count;
}

static int list_kernels(int argc, char **argv)
{
	size_t n;

	(void)argv;
	if (argc)
		return cmd_verb_wrong(&all_verbs, "list", "it takes no argument");
	n = print_kind(KERNEL_GUEST, "for lane guest, in QEMU:");
	n += print_kind(KERNEL_UML, "for lane uml, each a program:");
	if (!n)
		puts("no kernel yet; for lane guest: verbatim kernel fetch; for lane uml: "
		     "verbatim kernel build");
	return EXIT_OK;
}

static int verify_kernel(const struct kernel *k, struct vbm_error *err)
{
	auto_contents struct contents contents = {0};
	const struct device_words devices = {0};
	int ret = kernel_check(k, err);

	if (ret == 0 && k->kind == KERNEL_GUEST)
		ret = contents_base(&contents, k, &devices, GUEST_FILES_ALL, err);
	return ret == -KERNEL_DAMAGED ? ret : 0;
}

/* Removes damaged kernels, because the script would think that they are already there. */
static void drop_damaged(enum kernel_kind kind, const char *name)
{
	auto_kernel_list struct kernel_list all = {0};
	struct vbm_error err;
	size_t i;

	kernel_store_list(&all, kind);
	for (i = 0; i < all.count; i++) {
		if (all.item[i].packaged || !kernel_name_matches(name, &all.item[i]) ||
		    verify_kernel(&all.item[i], &err) == 0)
			continue;
		visible_complain("%s", err.msg);
		if (kernel_remove(&all.item[i], &err) < 0)
			visible_complain("%s", err.msg);
	}
}

/* Records the digests of the files, for later checks. */
static void record_all(enum kernel_kind kind)
{
	auto_kernel_list struct kernel_list all = {0};
	size_t i;

	kernel_store_list(&all, kind);
	for (i = 0; i < all.count; i++)
		kernel_check(&all.item[i], NULL);
}

static int fetch(int argc, char **argv)
{
	auto_free char *store = kernel_store(KERNEL_GUEST);
	int i, ret = EXIT_OK;

	for (i = 0; i < (argc ? argc : (int)ARRAY_SIZE(usual)); i++) {
		auto_free char *name = xstrdup(argc ? argv[i] : usual[i]);
		char *words[] = {NULL, name, store, NULL};

		drop_damaged(KERNEL_GUEST, name);
		ret = cmd_script("fetch-kernel", words);
		if (ret)
			break;
	}
	record_all(KERNEL_GUEST);
	return ret;
}

static int build_kernels(int argc, char **argv)
{
	auto_free char *store = kernel_store(KERNEL_UML);
	auto_free char **words = xcalloc((size_t)argc + 4, sizeof(char *));
	char option[] = "--store";
	int i, ret;

	for (i = 0; i < argc; i++)
		if (argv[i][0] != '-')
			drop_damaged(KERNEL_UML, argv[i]);
	words[1] = option;
	words[2] = store;
	memcpy(words + 3, argv, (size_t)argc * sizeof(char *));
	ret = cmd_script("build-kernel", words);
	record_all(KERNEL_UML);
	return ret;
}

static int add_kernels(int argc, char **argv)
{
	struct vbm_error err = {0};
	int i;

	if (!argc)
		return cmd_verb_wrong(&all_verbs, "add", "name a file, linux or linux.xz");
	for (i = 0; i < argc; i++) {
		auto_free char *release = NULL, *shown = NULL;

		if (uml_add(argv[i], &release, &err) < 0)
			return cmd_fail(&err, EXIT_NO_FABRIC);
		shown = visible_line(release);
		printf("%s is in the store\n", shown);
	}
	return EXIT_OK;
}

static int set_default(int argc, char **argv)
{
	auto_kernel struct kernel k = {0};
	auto_free char *shown = NULL;
	struct vbm_error err = {0};

	if (argc > 1)
		return cmd_verb_wrong(&all_verbs, "default", "it takes one name");
	if ((argc == 1 && kernel_set_default(argv[0], &err) < 0) ||
	    (kernel_find(&k, KERNEL_GUEST, argc ? argv[0] : NULL, &err) < 0 &&
	     kernel_find(&k, KERNEL_UML, argc ? argv[0] : NULL, &err) < 0))
		return cmd_fail(&err, EXIT_NO_FABRIC);
	shown = visible_line(k.release);
	puts(shown);
	return EXIT_OK;
}

const struct cmd cmd_kernel = {
	.name = "kernel",
	.doc = "the kernels that lanes guest and uml boot",
	.verbs = &all_verbs,
};
