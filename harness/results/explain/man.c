/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "catalogue/source.h"
#include "explain/page.h"
#include "lib/base/fail.h"
#include "process/program.h"

static bool have_man(void)
{
	char sh[] = "sh", option[] = "-c", command[] = "command -v man";
	char *argv[] = {sh, option, command, NULL};
	auto_free char *out = NULL;
	size_t len;

	return program_output(argv, PROGRAM_SAYS_MAX, &out, &len, NULL) == 0;
}

/*
 * man(1) prints plain text, without hyphenation and justification. A page in
 * another language has other headings, so the language is fixed.
 */
int man_page_read(const struct source *citation, char **out, struct vbm_error *err)
{
	static char env[] = "env", unset[] = "-u", formatting[] = "MAN_KEEP_FORMATTING",
		width[] = "MANWIDTH=100", roff[] = "MANROFFOPT=-rHY=0 -dAD=l",
		language[] = "LC_ALL=C", man[] = "man";
	auto_free char *section = xasprintf("%d", citation->section), *page = xstrdup(citation->page);
	char *argv[] = {env, unset, formatting, width, roff, language, man, section, page, NULL};
	size_t len;

	*out = NULL;
	if (program_output(argv, PROGRAM_SAYS_MAX, out, &len, NULL) == 0)
		return 0;
	if (!have_man())
		return vbm_fail(err, ENOENT, "%s(%d) cannot be shown: man is not installed here "
				"(Debian: man-db)", citation->page, citation->section);
	return vbm_fail(err, ENOENT, "%s(%d) is not installed here; Debian's %s has it",
			citation->page, citation->section, source_package(citation));
}
