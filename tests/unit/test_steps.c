/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: call/objects.c call/numbering.c step/bytes.c step/step-table.c call/step-util.c */
#include "cmocka_all.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "call/numbering.h"
#include "call/objects.h"
#include "call/step-util.h"
#include "call/target.h"
#include "step/bytes.h"

static void check_doc(const char *where, const char *name, const char *doc)
{
	if (!doc || strlen(doc) < 4 || doc[strlen(doc) - 1] == ' ')
		fail_msg("%s: %s is not documented", where, name);
}

static void check_param(const struct step_kind *k, const struct param *p)
{
	const struct param *q;

	check_doc(k->name, p->name, p->doc);
	if (p->min > p->max)
		fail_msg("%s: %s has an empty range", k->name, p->name);
	if ((p->type == PARAM_CONST || p->type == PARAM_FLAGS) && !p->set)
		fail_msg("%s: %s has no set of names", k->name, p->name);
	if (p->type == PARAM_FLAGS && !p->set->flags)
		fail_msg("%s: the set of %s is not one of flags", k->name, p->name);
	if (p->type == PARAM_OBJECT && p->object == OBJECT_NONE)
		fail_msg("%s: %s is an object of no kind", k->name, p->name);
	if ((p->type == PARAM_LIST) != (p->sub != NULL))
		fail_msg("%s: %s has items and is no list, or the reverse", k->name, p->name);
	for (q = k->params; q != p; q++)
		if (strcmp(q->name, p->name) == 0)
			fail_msg("%s: %s is there twice", k->name, p->name);
}

static void check_fields(const char *where, const struct field *first)
{
	const struct field *f, *g;

	for (f = first; f->name; f++) {
		check_doc(where, f->name, f->doc);
		if ((f->type == FIELD_CONST || f->type == FIELD_FLAGS) && !f->set)
			fail_msg("%s: %s has no set of names", where, f->name);
		if ((f->type == FIELD_LIST) != (f->sub != NULL))
			fail_msg("%s: %s has items and is no list, or the reverse", where, f->name);
		for (g = first; g != f; g++)
			if (strcmp(g->name, f->name) == 0)
				fail_msg("%s: %s is there twice", where, f->name);
		if (f->sub)
			check_fields(f->name, f->sub);
	}
}

static bool has_field(const struct step_kind *k, const char *name)
{
	const struct field *f;

	for (f = k->fields; f->name && strcmp(f->name, name); f++)
		;
	return f->name != NULL;
}

/* A step that reads the harness's own records waits for nothing under test. */
static bool waits_for_the_harness(const struct step_kind *k)
{
	return !strcmp(k->name, "acm_requests") || !strcmp(k->name, "dns_stop") ||
	       !strcmp(k->name, "stall");
}

static void check_kind(const struct step_kind *k)
{
	const struct param *p;

	check_doc("table", k->name, k->doc);
	if (k->doc[strlen(k->doc) - 1] != '.')
		fail_msg("%s: its doc is no sentence", k->name);
	if (!k->call || !strchr(k->call, '('))
		fail_msg("%s: what it calls is not a manual page", k->name);
	if (!k->run || !k->fields)
		fail_msg("%s: it does nothing or answers nothing", k->name);
	for (p = k->params; p && p->name; p++)
		check_param(k, p);
	check_fields(k->name, k->fields);
	if (k->query && k->makes != OBJECT_NONE)
		fail_msg("%s: it only looks, but makes an object", k->name);
	if (!strncmp(k->name, "query_", 6) && k->makes == OBJECT_NONE && !k->query)
		fail_msg("%s: it is called a query and is none", k->name);
	if (k->waits && !waits_for_the_harness(k) && !has_field(k, "elapsed_ms"))
		fail_msg("%s: it waits and does not say how long", k->name);
	if (strcmp(k->fields[0].name, "return") != 0)
		fail_msg("%s: its first field is not the return value", k->name);
}

TEST(test_steps__every_line__is_whole)
{
	const struct step_family *const *f;
	const struct step_kind *k;

	for (f = step_families; *f; f++) {
		check_doc("family", (*f)->name, (*f)->doc);
		for (k = (*f)->steps; k->name; k++)
			check_kind(k);
	}
}

TEST(test_steps__deadlines__are_seconds)
{
	assert_int_equal(step_deadline_ms(step_find("alloc_pd")), 2000);
	assert_int_equal(step_deadline_ms(step_find("poll_cq")), 3000);
	assert_int_equal(step_deadline_ms(step_find("get_cm_event")), 5000);
	assert_int_equal(step_deadline_ms(step_find("getaddrinfo")), 15000);
}

TEST(test_steps__names__are_unique_and_found)
{
	const struct step_family *const *f;
	const struct step_kind *k;

	for (f = step_families; *f; f++)
		for (k = (*f)->steps; k->name; k++)
			assert_ptr_equal(step_find(k->name), k);
	assert_null(step_find("create"));
	assert_string_equal(step_suggest("creat_qp"), "create_qp");
	assert_string_equal(step_suggest("get_addrinfo"), "getaddrinfo");
	assert_null(step_suggest("elephant"));
}

static void check_vain(int64_t wait_ms, int64_t late_us, const char *text)
{
	struct step_ctx ctx = {.began_ns = 5000000 + late_us * 1000};
	struct vbm_error err;

	ctx.deadline_ns = 5000000 + wait_ms * 1000000;
	assert_int_equal(step_wait_failed(&ctx, &err, "completion"), -ETIMEDOUT);
	assert_string_equal(err.msg, text);
	step_mark_own_timeout(&ctx, &err);
	assert_int_equal(err.code, ETIMEDOUT);
}

TEST(test_steps__a_failed_wait__says_for_what)
{
	check_vain(100, 900, "no completion within 100 ms");
	check_vain(800, 3000, "no completion within 800 ms");
	check_vain(1000, 1000, "no completion within 1.0 s");
	check_vain(16000, 4000, "no completion within 16.0 s");
	check_vain(2250, 0, "no completion within 2.3 s");
}

TEST(test_steps__any_other_wait__is_our_own_fault)
{
	struct step_ctx ctx = {.wait_failed = false};
	struct vbm_error err = {.code = ETIMEDOUT};

	step_mark_own_timeout(&ctx, &err);
	assert_int_equal(err.code, EBUSY);
}

struct noisy {
	struct object base;
	char **log;	/* borrowed */
};

static int noisy_release(struct object *o)
{
	struct noisy *n = (struct noisy *)o;
	char *more = xasprintf("%s%s ", *n->log, o->name ? o->name : "(unnamed)");

	free(*n->log);
	*n->log = more;
	return 0;
}

static struct object *add(struct objects *set, const char *name, enum object_kind kind, char **log)
{
	struct noisy *n = xcalloc(1, sizeof(*n));

	n->log = log;
	n->base.release = noisy_release;
	objects_add(set, &n->base, name, kind);
	return &n->base;
}

TEST(test_objects__end__releases_newest_first)
{
	auto_free char *log = xstrdup("");
	struct objects *set = objects_new();

	add(set, "ctx", OBJECT_CONTEXT, &log);
	add(set, "pd", OBJECT_PD, &log);
	objects_forget(set, add(set, "gone", OBJECT_QP, &log));
	add(set, "qp", OBJECT_QP, &log);
	assert_null(objects_find(set, "gone", OBJECT_QP));
	objects_free(set);
	assert_string_equal(log, "qp pd ctx ");
}

TEST(test_objects__a_name_given_again__is_the_newer_one)
{
	auto_free char *log = xstrdup("");
	struct objects *set = objects_new();
	struct object *old, *new;

	old = add(set, "x", OBJECT_CQ, &log);
	new = add(set, "x", OBJECT_CQ, &log);
	assert_ptr_equal(objects_find(set, "x", OBJECT_CQ), new);
	/* The older object can no longer be meant, even if it is the only one left. */
	assert_ptr_equal(objects_pick(set, NULL, OBJECT_CQ, NULL), new);
	assert_ptr_equal(objects_serial(set, old->serial), old);
	assert_ptr_equal(objects_next(set, new, OBJECT_CQ), old);
	objects_forget(set, new);
	assert_null(objects_find(set, "x", OBJECT_NONE));
	add(set, "x", OBJECT_PD, &log);
	objects_free(set);
	assert_string_equal(log, "x (unnamed) ");
}

TEST(test_objects__parts__go_with_their_owner)
{
	auto_free char *log = xstrdup("");
	struct objects *set = objects_new();
	struct object *ep;

	ep = add(set, "ep", OBJECT_CM_ID, &log);
	add(set, "ep_qp", OBJECT_QP, &log)->part_of = ep;
	add(set, "ep_cq", OBJECT_CQ, &log);
	objects_forget(set, ep);
	assert_null(objects_find(set, "ep_qp", OBJECT_NONE));
	assert_non_null(objects_find(set, "ep_cq", OBJECT_NONE));
	objects_free(set);
	assert_string_equal(log, "ep_cq ");
}

TEST(test_objects__pick__names_the_usual_or_the_only_one)
{
	auto_free char *log = xstrdup("");
	struct objects *set = objects_new();
	struct vbm_error err;

	assert_null(objects_pick(set, NULL, OBJECT_CQ, &err));
	add(set, "q_cq", OBJECT_CQ, &log);
	assert_string_equal(objects_pick(set, NULL, OBJECT_CQ, &err)->name, "q_cq");
	add(set, "r_cq", OBJECT_CQ, &log);
	assert_null(objects_pick(set, NULL, OBJECT_CQ, &err));
	assert_non_null(strstr(err.msg, "several"));
	add(set, "cq", OBJECT_CQ, &log);
	assert_string_equal(objects_pick(set, NULL, OBJECT_CQ, &err)->name, "cq");
	assert_null(objects_pick(set, "cq", OBJECT_QP, &err));
	assert_string_equal(err.msg, "'cq' is a completion queue, not a queue pair");
	assert_null(objects_pick(set, "nope", OBJECT_QP, &err));
	assert_int_equal(err.code, ENOENT);
	objects_free(set);
}

/* A device's counter, which starts again after its last number. */
struct counter {
	uint32_t next, last;
	int made;
};

static int advance(void *arg, uint32_t *number)
{
	struct counter *c = arg;

	*number = c->next;
	c->next = c->next == c->last ? 16 : c->next + 1;
	c->made++;
	return 0;
}

/* The number of this actor's next queue pair. */
static uint32_t make(struct numbering *n, struct counter *c)
{
	uint32_t number;

	numbering_advance(n, NUMBER_QP, advance, c);
	advance(c, &number);
	c->made--;
	numbering_made(n, NUMBER_QP, number);
	return number;
}

TEST(test_numbering__two_hosts__have_no_number_in_common)
{
	struct counter device[2] = {{16, 100000, 0}, {16, 100000, 0}};
	struct number_board *board = number_board_new();
	bool taken[2][9000];
	int round, h, i, cost = 0;
	uint32_t number;

	for (round = 0; round < 50; round++) {
		struct numbering n[2] = {{.board = board}, {.board = board, .host = 1}};

		memset(taken, 0, sizeof(taken));
		number_board_enter(board, 0);
		number_board_enter(board, 1);
		cost = -device[0].made - device[1].made;
		for (i = 0; i < 3 + round; i++) {
			/* The hosts do not make the same number of queue pairs: b makes fewer. */
			for (h = 0; h < 2 - (i % 3 == 2); h++) {
				number = make(&n[h], &device[h]);
				assert_false(taken[!h][number]);
				taken[h][number] = true;
			}
		}
		number_board_leave(board, 0);
		number_board_leave(board, 1);
		cost += device[0].made + device[1].made;
assert_true(cost <= 2 * (i + NUMBER_CLAIM));
	}
	number_board_free(board);
}

TEST(test_numbering__counters_that_are_apart__stay_so)
{
	struct counter device[2] = {{16, 100000, 0}, {16, 100000, 0}};
	struct number_board *board = number_board_new();
	int round, h;

	for (round = 0; round < 100; round++) {
		struct numbering n[2] = {{.board = board}, {.board = board, .host = 1}};

		number_board_enter(board, 0);
		number_board_enter(board, 1);
		device[0].made = device[1].made = 0;
		for (h = 0; h < 2; h++)
			make(&n[h], &device[h]);
		/* This one shows the counter. */
		if (round)
			assert_int_equal(device[0].made + device[1].made, 2);
		number_board_leave(board, 0);
		number_board_leave(board, 1);
	}
	number_board_free(board);
}

TEST(test_numbering__a_counter_that_begins_again__is_followed)
{
	struct counter device[2] = {{60, 64, 0}, {16, 64, 0}};
	struct number_board *board = number_board_new();
	struct numbering n[2] = {{.board = board}, {.board = board, .host = 1}};
	uint32_t b = make(&n[1], &device[1]), first = make(&n[0], &device[0]);
	int i;

	assert_int_equal(b, 17);
	assert_int_equal(first, 61);
	for (i = 0; i < 10; i++)
		assert_int_not_equal(make(&n[0], &device[0]), b);
	assert_true(device[0].made < 4 * NUMBER_CLAIM);
	number_board_free(board);
}

TEST(test_numbering__processes_of_a_host__share_its_claims)
{
	struct counter device[2] = {{16, 1000, 0}, {16, 1000, 0}};
	struct number_board *board = number_board_new();
	struct numbering a = {.board = board}, a1 = {.board = board, .process = 1};
	struct numbering b = {.board = board, .host = 1};
	int i;

	number_board_enter(board, 0);
	number_board_enter(board, 0);
	assert_int_equal(make(&a, &device[0]), 17);
	/* The device counts for both actors; only the first one had to look. */
	assert_int_equal(make(&a1, &device[0]), 18);
	assert_int_equal(make(&a, &device[0]), 19);
	assert_int_equal(device[0].made, 1);
	number_board_leave(board, 0);
	for (i = 0; i < 3; i++)
		assert_true(make(&b, &device[1]) > 17 + NUMBER_CLAIM - 1);
	number_board_free(board);
}

TEST(test_numbering__buffers__lie_apart)
{
	struct numbering n[2] = {{.host = 0}, {.host = 1}};
	char *p = numbering_map(&n[0], 8192), *q = numbering_map(&n[0], 4096);
	char *r = numbering_map(&n[1], 8192);

	assert_ptr_equal(q, p + 8192);
	assert_ptr_not_equal(r, p);
	/* In another process the same range starts at the same address. */
	assert_int_equal(munmap(p, 8192), 0);
	n[1] = (struct numbering){.host = 0};
	assert_ptr_equal(numbering_map(&n[1], 4096), p);
	munmap(p, 4096);
	munmap(q, 4096);
	munmap(r, 8192);
}

static void check_pattern(const char *fill, size_t len, const char *name)
{
	auto_value struct value *v = value_string(fill);
	unsigned char buf[9000];
	auto_free char *got = NULL;

	assert_int_equal(bytes_pattern_fill(buf, len, v, NULL), 0);
	got = bytes_pattern_name(buf, len);
	assert_string_equal(got, name);
}

static void fills_badly(const char *json)
{
	auto_value struct value *v = json_read(json, strlen(json), NULL);
	struct vbm_error err = {0};
	unsigned char buf[1];

	assert_int_equal(bytes_pattern_fill(buf, 1, v, &err), -EINVAL);
	assert_true(*err.msg);
}

static void check_bytes(const char *json, const char *bytes, size_t len, const char *back)
{
	auto_value struct value *v = json_read(json, strlen(json), NULL), *again = NULL;
	auto_free char *text = NULL;
	auto_free uint8_t *got = NULL;
	struct vbm_error err = {0};
	size_t n;

	if (bytes_parse(v, &got, &n, &err) < 0)
		fail_msg("%s: %s", json, err.msg);
	assert_int_equal(n, len);
	assert_memory_equal(got, bytes, len);
	again = bytes_to_value(got, n);
	text = json_write(again);
	assert_string_equal(text, back);
}

TEST(test_bytes__text_and_hex__are_the_same_bytes)
{
	check_bytes("\"hi\"", "hi", 2, "\"hi\"");
	check_bytes("\"\"", "", 0, "\"\"");
	check_bytes("\"\u00e9\"", "\xc3\xa9", 2, "\"\u00e9\"");
	check_bytes("{\"hex\": \"68 69\"}", "hi", 2, "\"hi\"");
	check_bytes("{\"hex\": \"6869\"}", "hi", 2, "\"hi\"");
	check_bytes("{\"hex\": \" 00 Ff\\n10 \"}", "\x00\xff\x10", 3, "{\"hex\":\"00 ff 10\"}");
	check_bytes("{\"hex\": 11}", "\x11", 1, "{\"hex\":\"11\"}");
	check_bytes("{\"hex\": \"\"}", "", 0, "\"\"");
	check_bytes("{\"hex\": \"c3\"}", "\xc3", 1, "{\"hex\":\"c3\"}");
	check_bytes("{\"hex\": \"0a\"}", "\n", 1, "{\"hex\":\"0a\"}");
	check_bytes("7", "7", 1, "\"7\"");
}

TEST(test_bytes__what_is_none__is_refused)
{
	static const char *const row[] = {
		"{\"hex\": \"0\"}", "{\"hex\": \"0 0\"}", "{\"hex\": \"0x00\"}", "{\"hex\": [1]}",
		"{\"hex\": \"00\", \"more\": 1}", "{\"hexa\": \"00\"}", "[]", "null",
	};
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		auto_value struct value *v = json_read(row[i], strlen(row[i]), NULL);
		struct vbm_error err = {0};
		uint8_t *got = NULL;

		assert_int_equal(bytes_parse(v, &got, &n, &err), -EINVAL);
		assert_null(got);
		assert_non_null(strstr(err.msg, "hex"));
	}
}

TEST(test_pattern__what_is_filled__is_recognised)
{
	auto_value struct value *hex = json_read("{\"hex\": \"01 ff\"}", 16, NULL);
	auto_value struct value *counter = value_string("counter");
	unsigned char buf[4096];
	auto_free char *got = NULL;

	check_pattern("counter", 9000, "counter");
	check_pattern("zero", 9000, "zero");
	check_pattern("0x5a", 9000, "0x5a");
	check_pattern("90", 1, "0x5a");
	check_pattern("counter", 0, "empty");
	check_pattern("counter", 8, "counter");
	fills_badly("\"256\"");
	fills_badly("\"\"");
	fills_badly("{\"hex\": \"\"}");
	assert_int_equal(bytes_pattern_fill(buf, 5, hex, NULL), 0);
	assert_memory_equal(buf, "\x01\xff\x01\xff\x01", 5);
	/* No byte is like memory that nothing was written to. */
	bytes_pattern_fill(buf, sizeof(buf), counter, NULL);
	assert_null(memchr(buf, 0, sizeof(buf)));
	/* Two packets in the wrong order give another pattern. */
	bytes_pattern_fill(buf, sizeof(buf), counter, NULL);
	memmove(buf + 1024, buf + 2048, 1024);
	got = bytes_pattern_name(buf, sizeof(buf));
	assert_string_equal(got, "other: counter up to byte 1024");
}

static const char *object_of(void *symbol)
{
	Dl_info info;

	assert_true(dladdr(symbol, &info));
	return info.dli_fname;
}

TEST(test_target__a_path__takes_what_the_object_defines)
{
	struct target *t = NULL;
	struct vbm_error err = {0};

	assert_int_equal(target_open(&t, object_of((void *)rdma_destroy_ep), &err), 0);
	assert_ptr_equal((void *)t->destroy_ep, (void *)rdma_destroy_ep);
	assert_ptr_equal((void *)t->destroy_qp, (void *)ibv_destroy_qp);
	target_close(t);
}

TEST(test_target__an_object_without_any_call__is_refused)
{
	struct target *t = NULL;
	struct vbm_error err = {0};

	assert_int_equal(target_open(&t, object_of((void *)_cmocka_run_group_tests), &err), -ENOEXEC);
	assert_non_null(strstr(err.msg, "does not define any call"));
	assert_null(t);
}
