/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For scripts/check-sources, and not installed. Lists the manual pages that a catalogue and
 * the findings beside it cite, and extracts the passages that they cite.
 *
 *   source-items CATALOGUE
 *     PAGE.SECTION lines.
 *   source-items CATALOGUE TEXT OUT EDITION...
 *     TEXT/EDITION/PAGE.SECTION are rendered pages. Lines, with tabs between:
 *     "found PASSAGE EDITION FILE", "missing PASSAGE EDITION WHY".
 *     FILE, in the folder OUT, has the words of the passage, with white space normalised.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/strlist.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "catalogue/clauses.h"
#include "catalogue/finding.h"
#include "catalogue/source.h"
#include "catalogue/suite.h"
#include "explain/page.h"

struct source_items_check {
	const char *text, *out;
	char **edition;
	int edition_count;
	struct string_list seen;	/* passages with their edition: each is printed once */
	bool failed;
};

static void print_error(const char *what, const char *msg)
{
	fprintf(stderr, "source-items: %s: %s\n", what, msg);
}

static bool load(struct clauses *out, const char *path)
{
	struct diagnostics diag auto_diagnostics = {0};
	auto_free char *text = NULL, *lines = NULL;
	struct vbm_error err;

	text = text_of_file(path, &err);
	if (!text || clauses_parse(out, steal(&text), &err) < 0) {
		print_error(path, err.msg);
		return false;
	}
	clauses_check_sources(out, &diag);
	if (!diag.count)
		return true;
	lines = diagnostics_format(&diag, path);
	fputs(lines, stderr);
	clauses_fini(out);
	return false;
}

static bool has_editions(const struct source *passage)
{
	return passage->kind == SOURCE_PAGE && !passage->foreign;
}

static bool is_new(struct string_list *seen, const char *s)
{
	size_t before = seen->count;

	string_list_add(seen, s);
	return seen->count > before;
}

static bool write_item(const char *path, const char *text)
{
	auto_free char *words = page_normalise(text);
	struct vbm_error err;

	if (file_replace(path, words, &err) == 0)
		return true;
	print_error(path, err.msg);
	return false;
}

static void check_passage(struct source_items_check *c, const struct source *passage, const char *edition)
{
	auto_free char *name = source_name(passage), *page = NULL, *words = NULL;
	auto_free char *key = xasprintf("%s\t%s", name, edition);
	auto_free char *path = xasprintf("%s/%s/%s.%d", c->text, edition, passage->page,
					 passage->section);
	enum page_found found;
	char file[32];

	if (!is_new(&c->seen, key))
		return;
	page = text_of_file(path, NULL);
	found = page ? page_extract(page, passage, &words) : PAGE_NO_HEADING;
	if (found != PAGE_FOUND) {
		printf("missing\t%s\tno such %s\n", key, !page ? "page" :
		       found == PAGE_NO_HEADING ? "heading" : "item below the heading");
		return;
	}
	snprintf(file, sizeof(file), "%06zu", c->seen.count);
	printf("found\t%s\t%s\n", key, file);
	free(steal(&path));
	path = xasprintf("%s/%s", c->out, file);
	c->failed = !write_item(path, words) || c->failed;
}

static void check_sources(struct source_items_check *c, const char *text)
{
	struct sources s auto_sources = {0};
	size_t i;
	int k;

	if (sources_parse(&s, text, NULL, NULL) < 0)
		return;
	for (i = 0; i < s.count; i++)
		for (k = 0; has_editions(&s.item[i]) && k < c->edition_count; k++)
			if (source_covers(&s.item[i], (int)strtol(c->edition[k], NULL, 10)))
				check_passage(c, &s.item[i], c->edition[k]);
}

static void print_pages(const char *text, struct string_list *seen)
{
	struct sources s auto_sources = {0};
	size_t i;

	if (sources_parse(&s, text, NULL, NULL) < 0)
		return;
	for (i = 0; i < s.count; i++) {
		auto_free char *page = xasprintf("%s.%d", s.item[i].page ? s.item[i].page : "",
						 s.item[i].section);

		if (has_editions(&s.item[i]) && is_new(seen, page))
			puts(page);
	}
}

static void check_or_print(struct source_items_check *c, const char *text)
{
	if (c->edition_count)
		check_sources(c, text);
	else
		print_pages(text, &c->seen);
}

static bool load_findings(struct findings *out, const char *catalogue)
{
	auto_free char *dir = xasprintf("%.*s" SUITE_FINDINGS, (int)(strrchr(catalogue, '/') ?
					strrchr(catalogue, '/') + 1 - catalogue : 0), catalogue);
	struct vbm_error err;

	if (findings_load(out, dir, &err) == 0)
		return true;
	print_error(dir, err.msg);
	return false;
}

int main(int argc, char **argv)
{
	struct source_items_check c = {0};
	struct findings findings = {0};
	struct clauses clauses;
	size_t i;

	if (argc != 2 && argc < 5) {
		fputs("Usage: source-items CATALOGUE [TEXT OUT EDITION...]\n", stderr);
		return 2;
	}
	if (!load(&clauses, argv[1]) || !load_findings(&findings, argv[1]))
		return 1;
	if (argc > 2) {
		c.text = argv[2];
		c.out = argv[3];
		c.edition = argv + 4;
		c.edition_count = argc - 4;
	}
	for (i = 0; i < clauses.count; i++)
		check_or_print(&c, clauses.item[i].source);
	for (i = 0; i < findings.count; i++)
		if (findings.item[i].source)
			check_or_print(&c, findings.item[i].source);
	findings_fini(&findings);
	string_list_fini(&c.seen);
	clauses_fini(&clauses);
	return c.failed || fflush(stdout) ? 1 : 0;
}
