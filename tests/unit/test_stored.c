/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: runs/stored.c event/event.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "runs/stored.h"
#include "../help/folder.h"

#define PLACE "\"lane\":\"uml\",\"accelerator\":\"none\",\"kernel\":\"7.3\",\"rdma_core\":\"44.0\",\"target\":\"system\""
#define SUMMARY "{\"event\":\"summary\"," PLACE ",\"counts\":{},\"total\":1,\"took_ms\":1,\"exit\":0"
#define HISTORY(name) SUMMARY ",\"errors\":[],\"scenarios\":[{\"name\":\"" name "\",\"verdict\":\"PASS\"}]}\n"
#define VERDICT "{\"event\":\"verdict\",\"seq\":1,\"ms\":1,\"variant\":0,\"name\":\"a/b\",\"verdict\":\"XFAIL\"," \
	"\"reason\":\"no\",\"took_ms\":7,\"own_us\":1,\"findings\":[\"f\"]}\n"

static struct folder home;
static char *path;	/* owned; a file in it */

static int make(void **state)
{
	(void)state;
	folder_make(&home);
	path = folder_path(&home, "file");
	return 0;
}

static int drop(void **state)
{
	(void)state;
	free(steal(&path));
	folder_remove(&home);
	return 0;
}

UNIT(.each = {make, drop});

static int read_text(struct stored_run *run, const char *text, size_t back, struct vbm_error *err)
{
	auto_file FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fflush(f);
	return stored_read(run, path, back, err);
}

TEST(test_stored__a_stream_of_events)
{
	struct stored_run run;
	struct vbm_error err;

	assert_int_equal(read_text(&run, VERDICT SUMMARY "}\n", 0, &err), 0);
	assert_int_equal(run.count, 1);
	assert_string_equal(run.item[0].name, "a/b");
	assert_int_equal(run.item[0].verdict, VERDICT_XFAIL);
	assert_string_equal(run.item[0].reason, "no");
	assert_int_equal(run.item[0].took_ms, 7);
	assert_string_equal(run.item[0].findings->list.item[0]->s, "f");
	stored_fini(&run);
}

/* A run is its verdicts, so the steps of a stream are passed over: they take a hundred times as long. */
TEST(test_stored__steps_are_passed_over)
{
	struct stored_run run;
	struct vbm_error err;

	assert_int_equal(read_text(&run, "{\"event\":\"step\",\"nonsense\":1}\n" VERDICT SUMMARY "}\n", 0, &err), 0);
	assert_int_equal(run.count, 1);
	stored_fini(&run);
	/* A cut one is no whole line. */
	assert_int_equal(read_text(&run, VERDICT "{\"event\":\"step\",\"nonsense\":", 0, &err), -EPROTO);
	assert_non_null(strstr(err.msg, ":2: "));
	assert_int_equal(read_text(&run, "{\"event\":\"step\",\"nonsense\":1}\n", 0, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "the stream has no summary at its end"));
}

TEST(test_stored__a_history)
{
	struct stored_run run;
	struct vbm_error err;
	struct text place auto_text = {0};

	assert_int_equal(read_text(&run, HISTORY("one") HISTORY("two") HISTORY("three"), 0, &err), 0);
	assert_string_equal(run.item[0].name, "three");
	assert_int_equal(run.item[0].took_ms, -1);
	stored_place(&run, &place);
	assert_string_equal(place.s, "kernel 7.3, uml lane, rdma-core 44.0, target system");
	stored_fini(&run);
	assert_int_equal(read_text(&run, HISTORY("one") HISTORY("two") HISTORY("three"), 2, &err), 0);
	assert_string_equal(run.item[0].name, "one");
	stored_fini(&run);
	assert_int_equal(read_text(&run, HISTORY("one") HISTORY("two"), 2, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "holds 2 runs"));
	assert_int_equal(read_text(&run, HISTORY("one"), 1, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "holds 1 run:"));
}

static void note_name(const struct stored_run *run, void *names)
{
	text_addf(names, "%s ", run->item[0].name);
}

/* The last runs, the oldest first; a stream and a missing file have none. */
TEST(test_stored__runs_of_a_history)
{
	struct text two auto_text = {0}, all auto_text = {0}, none auto_text = {0};
	struct stored_run run;
	struct vbm_error err;

	assert_int_equal(read_text(&run, HISTORY("one") HISTORY("two") HISTORY("three"), 0, &err), 0);
	assert_ptr_equal(stored_find(&run, "three"), &run.item[0]);
	assert_null(stored_find(&run, "two"));
	stored_fini(&run);
	stored_history(path, 2, note_name, &two);
	assert_string_equal(two.s, "two three ");
	stored_history(path, 30, note_name, &all);
	assert_string_equal(all.s, "one two three ");
	stored_history("/proc/none", 30, note_name, &none);
	assert_int_equal(read_text(&run, VERDICT SUMMARY "}\n", 0, &err), 0);
	stored_fini(&run);
	stored_history(path, 30, note_name, &none);
	assert_null(none.s);
}

TEST(test_stored__what_is_no_run)
{
	static const struct {
		const char *text, *says;
		int code;
	} rows[] = {
		{"", "the file is empty", -EINVAL},
		{VERDICT, "broken off", -EINVAL},
		{VERDICT "x\n", ":2: bad JSON", -EPROTO},
		{VERDICT "{\"event\":\"verdict\"}\n", ":2:", -EPROTO},
		{"[]", "not the summary of a run", -EINVAL},
		{"{\"event\":\"nonesuch\"}\n{}\n", ":1:", -EPROTO},
		{SUMMARY ",\"scenarios\":[{\"name\":\"a\",\"verdict\":\"MAYBE\"}]}", "'MAYBE', which is not known", -EINVAL},
		{SUMMARY ",\"scenarios\":[{\"name\":\"a\"}]}\n" HISTORY("b"), NULL, 0},
	};
	struct stored_run run;
	struct vbm_error err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(read_text(&run, rows[i].text, 0, &err), rows[i].code);
		if (rows[i].says && !strstr(err.msg, rows[i].says))
			fail_msg("row %zu says: %s", i, err.msg);
		if (rows[i].code == 0)
			stored_fini(&run);
	}
	assert_int_equal(stored_read(&run, "/proc/none", 0, &err), -ENOENT);
	assert_int_equal(stored_read(&run, test_data("coverage/run"), 1, &err), -ENOENT);
	/* A file that is no run is not counted as one without another before it. */
	assert_int_equal(read_text(&run, "words\n", 1, &err), -EPROTO);
	assert_int_equal(read_text(&run, "", 1, &err), -EINVAL);
	assert_int_equal(read_text(&run, VERDICT SUMMARY "}\n", 1, &err), -ENOENT);
	assert_int_equal(stored_read(&run, test_data("coverage/run"), 0, &err), 0);
	stored_fini(&run);
}
