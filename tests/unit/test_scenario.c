/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: compile/ catalogue/fragments.c catalogue/lookup.c */
#include "cmocka_all.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "catalogue/files.h"
#include "catalogue/fragments.h"
#include "plan/env.h"
#include "plan/require.h"

static char *slurp(const char *path)
{
	auto_file FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (!f)
		return NULL;
	if (getdelim(&text, &size, '\0', f) < 0)
		text[0] = '\0';
	return text;
}

/* Golden files contain no folder of this machine. */
static void cut_all(char *text, const char *prefix)
{
	size_t n = strlen(prefix);

	while ((text = strstr(text, prefix)))
		memmove(text, text + n, strlen(text + n) + 1);
}

/* The output of "verbatim check" for one file of tests/data. */
static char *errors_of(const char *dir, const char *name)
{
	auto_free char *path = xasprintf("%s/%s", test_data(dir), name);
	auto_free char *text = slurp(path);
	auto_free char *root = realpath(test_data("../../scenarios"), NULL);
	auto_free char *top = xasprintf("%.*s", (int)(strlen(root) - strlen("scenarios")), root);
	struct fragment_source source = fragments_of(root);
	struct scenario_input in = {.path = name, .id = "id", .fragments = &source};
	struct diagnostics diag = {0};
	struct scenario *s = NULL;
	char *errors;
	int ret;

	assert_non_null(text);
	in.text = text;
	in.len = strlen(text);
	ret = scenario_parse(&s, &in, &diag);
	assert_int_equal(ret, diag.count ? -EINVAL : 0);
	errors = diagnostics_format(&diag, name);
	cut_all(errors, top);
	diagnostics_fini(&diag);
	scenario_free(s);
	return errors;
}

static int is_yaml(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return dot && strcmp(dot, ".yaml") == 0;
}

static void each_of(const char *dir, void (*test)(const char *dir, const char *name))
{
	struct dirent **files;
	int i, n = scandir(test_data(dir), &files, is_yaml, alphasort);

	assert_true(n > 0);
	for (i = 0; i < n; i++) {
		test(dir, files[i]->d_name);
		free(files[i]);
	}
	free(files);
}

/* VBM_GOLDEN=write writes the golden files again; read the difference then. */
static void is_bad_as_told(const char *dir, const char *name)
{
	auto_free char *errors = errors_of(dir, name), *want = NULL;
	auto_free char *path = xasprintf("%s/%.*s.err", test_data(dir),
					 (int)strlen(name) - 5, name);
	const char *mode = getenv("VBM_GOLDEN");

	if (mode && strcmp(mode, "write") == 0) {
		FILE *f = fopen(path, "we");

		assert_non_null(f);
		fputs(errors, f);
		fclose(f);
	}
	want = slurp(path);
	if (!want)
		fail_msg("%s: there is no such file", path);
	assert_string_not_equal(want, "");
	assert_string_equal(errors, want);
}

static void is_good(const char *dir, const char *name)
{
	auto_free char *errors = errors_of(dir, name);

	assert_string_equal(errors, "");
}

TEST(test_scenario__bad_files__are_told_exactly)
{
	each_of("yaml-bad", is_bad_as_told);
}

TEST(test_scenario__good_files__have_no_error)
{
	each_of("yaml-good", is_good);
}

static struct scenario *load(const char *name)
{
	auto_free char *path = xasprintf("%s/%s", test_data("yaml-good"), name);
	auto_free char *root = xstrdup(test_data("../../scenarios"));
	struct scenario_file file = {.path = path, .id = path, .root = root};
	struct diagnostics diag = {0};
	struct scenario *s = NULL;

	if (scenario_file_load(&s, &file, &diag, NULL) < 0) {
		auto_free char *text = diagnostics_format(&diag, path);

		fail_msg("%s", text);
	}
	diagnostics_fini(&diag);
	return s;
}

static const struct item *find(const struct variant *v, const char *step, const char *actor,
			       const char *as)
{
	size_t i;

	for (i = 0; i < v->item_count; i++)
		if (!strcmp(v->actors[v->items[i].actor].name, actor) &&
		    !strcmp(v->items[i].kind->name, step) &&
		    (!as || (v->items[i].as && !strcmp(v->items[i].as, as))))
			return &v->items[i];
	fail_msg("there is no step %s.%s", actor, step);
	return NULL;
}

static bool has_need(const struct variant *v, const char *need)
{
	size_t i;

	for (i = 0; i < v->needs->list.count; i++)
		if (!strcmp(v->needs->list.item[i]->s, need))
			return true;
	return false;
}

static bool has_step(const struct variant *v, const char *step)
{
	size_t i;

	for (i = 0; i < v->item_count; i++)
		if (!strcmp(v->items[i].kind->name, step))
			return true;
	return false;
}

/* A scenario of the suite, for devices that connect in that way (NULL: by a program). The caller frees it. */
static struct scenario *shipped(const char *name, const char *connects)
{
	auto_free char *path = xasprintf("%s/%s.yaml", test_data("../../scenarios"), name);
	auto_free char *root = xstrdup(test_data("../../scenarios"));
	struct scenario_file file = {.path = path, .id = path, .root = root, .connects = connects};
	struct diagnostics diag = {0};
	struct scenario *s = NULL;

	assert_int_equal(scenario_file_load(&s, &file, &diag, NULL), 0);
	diagnostics_fini(&diag);
	return s;
}

/* The same scenario for devices whose queue pairs a program connects, and for those of rdma_cm. */
TEST(test_scenario__connects__changes_fragments_only)
{
	struct scenario *s = shipped("data/completion-fields", NULL);

	assert_true(has_need(&s->plan.item[0], "can=by_hand"));
	assert_false(has_step(&s->plan.item[0], "accept"));
	scenario_free(s);
	s = shipped("data/completion-fields", CONNECTS_BY_CM);
	assert_false(has_need(&s->plan.item[0], "can=by_hand"));
	assert_true(has_step(&s->plan.item[0], "accept"));
	scenario_free(s);
}

static bool is_rejected_with(const struct scenario *s, int64_t status)
{
	const struct variant *v = &s->plan.item[0];
	size_t i;

	for (i = 0; i < v->item_count; i++)
		if (v->items[i].expect && value_get_int(v->items[i].expect, "status", 0) == status)
			return true;
	return false;
}

/* {connects: {...}} has the value for the devices of the run. */
TEST(test_scenario__expectation__has_the_value_for_the_device)
{
	struct scenario *s = shipped("connect/many", NULL);

	assert_true(is_rejected_with(s, 28));
	assert_false(is_rejected_with(s, -104));
	scenario_free(s);
	s = shipped("connect/many", CONNECTS_BY_CM);
	assert_true(is_rejected_with(s, -104));
	assert_false(is_rejected_with(s, 28));
	scenario_free(s);
}

/* A list of requests needs what each of its requests needs. */
TEST(test_scenario__list__needs_what_its_requests_need)
{
	struct scenario *s = shipped("data/list", NULL);

	assert_true(has_need(&s->plan.item[0], "can=atomics"));
	assert_true(has_need(&s->plan.item[0], "can=immediate"));
	assert_false(has_need(&s->plan.item[0], "can=windows"));
	scenario_free(s);
}

TEST(test_scenario__head__arrives)
{
	struct scenario *s = load("everything.yaml");

	assert_string_equal(s->title, "a title: with a colon");
	assert_int_equal(s->plan.item[0].hosts, 3);
	assert_int_equal(s->clause_count, 2);
	assert_string_equal(s->clauses[1], "CQ-CREATE");
	assert_int_equal(s->clause_pos[1].col, 20);
	assert_int_equal(s->plan.item[0].needs->list.count, 5);	/* two are of its steps */
	assert_int_equal(s->plan.count, 8);
	assert_int_equal(s->plan.item[0].ip, 4);
	assert_int_equal(s->plan.item[7].ip, 6);
	scenario_free(s);
}

TEST(test_scenario__constants__become_integers)
{
	struct scenario *s = load("everything.yaml");
	const struct item *passive = find(&s->plan.item[0], "getaddrinfo", "c", "passive");
	const struct value *flags = value_get(passive->args, "flags");

	assert_int_equal(flags->type, VALUE_INT);
	assert_int_equal(flags->i, 1);
	assert_string_equal(flags->text, "PASSIVE");
	assert_string_equal(value_get_string(passive->args, "service", ""), "0x10");
	assert_int_equal(value_get(passive->args, "node")->type, VALUE_NULL);
	assert_int_equal(value_get_int(value_get(passive->expect, "return"), "not", 0), -2);
	scenario_free(s);
}

TEST(test_scenario__step_keys__arrive)
{
	struct scenario *s = load("everything.yaml");
	const struct item *poll = find(&s->plan.item[0], "poll_cq", "a", NULL);
	const struct item *found = find(&s->plan.item[0], "getaddrinfo", "c", "found");

	assert_int_equal(poll->deadline_ms, 2500);
	assert_null(poll->as);
	assert_int_equal(found->deadline_ms, step_deadline_ms(found->kind));
	assert_string_equal(found->note, "why this step is here");
	assert_int_equal(found->origin.pos.line, 16);
	assert_int_equal(found->origin.pos.col, 5);
	scenario_free(s);
}

TEST(test_scenario__usual_names__are_given)
{
	struct scenario *s = load("minimal.yaml");

	assert_int_equal(s->plan.count, 1);
	assert_int_equal(s->plan.item[0].item_count, 1);
	assert_string_equal(s->plan.item[0].items[0].as, "ctx");
	scenario_free(s);
}

/* The environment of a variant in which every qp got the number 17. */
static struct env *env_of(const struct variant *v)
{
	auto_value struct value *qp = value_map();
	struct host_info host = {.ip4 = "10.0.0.1", .ip6 = "fd00::1", .gid4 = "::ffff:10.0.0.1",
				.gid6 = "fd00::1", .port = 1,
				 .gid_index4 = 1, .gid_index6 = 2};
	struct env *env = env_new(v->ip);
	int i;

	value_set_int(qp, "qp_num", 17);
	for (i = 0; i < v->hosts; i++) {
		host.name[0] = (char)('a' + i);
		env_set_host(env, &host);
		env_set_result(env, host.name, "q", qp);
	}
	return env;
}

static const struct item *nth_modify(const struct variant *v, const char *actor, int n)
{
	size_t i;

	for (i = 0; i < v->item_count; i++)
		if (!strcmp(v->items[i].kind->name, "modify_qp") &&
		    !strcmp(v->actors[v->items[i].actor].name, actor) &&
		    !strcmp(value_get_string(v->items[i].args, "qp", ""), "q") && n-- == 0)
			return &v->items[i];
	fail_msg("there is no such modify_qp");
	return NULL;
}

TEST(test_scenario__qps__become_steps)
{
	struct scenario *s = load("everything.yaml");
	const struct variant *v = &s->plan.item[7];	/* ip 6, mtu 4096 */
	const struct item *rtr = nth_modify(v, "c", 1);
	struct env *env = env_of(v);
	struct bound b;

	assert_int_equal(item_bind(rtr, env, &b, NULL), 0);
	assert_int_equal(value_get_int(b.args, "state", 0), 2);
	assert_int_equal(value_get_int(b.args, "path_mtu", 0), 5);
	assert_int_equal(value_get_int(b.args, "dest_qp_num", 0), 17);
	assert_string_equal(value_get_string(b.args, "dest_gid", ""), "fd00::1");
	assert_int_equal(value_get_int(b.args, "gid_index", 0), 2);
	assert_int_equal(value_get_int(b.args, "rq_psn", 0), 0x1234);
	assert_null(b.expect);
	bound_fini(&b);
	assert_int_equal(rtr->origin.pos.line, 12);
	assert_non_null(strstr(rtr->origin.fragment, "fragments/qps.yaml"));
	assert_true(rtr->origin.fragment_pos.line > 0 && rtr->group > 0);
	assert_int_equal(value_get(nth_modify(v, "a", 2)->args, "timeout")->i, 10);
	env_free(env);
	scenario_free(s);
}

/* [null, welcome] gives private data to one end only. */
TEST(test_scenario__items_that_are_null__are_left_out)
{
	struct scenario *s = load("conns.yaml");
	const struct variant *v = &s->plan.item[0];
	const struct value *connect = find(v, "connect", "a", NULL)->args;
	const struct value *accept = find(v, "accept", "c", NULL)->args;
	const struct item *resolve;

	assert_null(value_get(connect, "private_data"));
	assert_string_equal(value_get_string(accept, "private_data", ""), "welcome");
	assert_int_equal(value_get_int(connect, "retry_count", 0), 3);
	assert_null(value_get(connect, "initiator_depth"));
	assert_null(value_get(find(v, "get_cm_event", "c", "one_id")->expect, "private_data"));
	assert_int_equal(value_get_int(find(v, "rdma_create_qp", "a", "one")->args,
				       "max_send_wr", 0), 4);
	assert_int_equal(value_get_int(find(v, "rdma_create_qp", "c", "one")->args,
				       "max_send_wr", 0), 8);
	assert_string_equal(value_get_string(find(v, "connect", "b", NULL)->args, "id", ""),
			    "two_id");
	/* A parameter whose value is null is passed to the call as NULL. */
	resolve = find(v, "create_id", "a", "three_id") + 1;
	assert_string_equal(resolve->kind->name, "resolve_addr");
	assert_int_equal(value_get(resolve->args, "src_addr")->type, VALUE_NULL);
	scenario_free(s);
}

TEST(test_scenario__variables__are_gone_from_the_plan)
{
	struct scenario *s = load("everything.yaml");
	static const int64_t qp_type[] = {2, 3};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(qp_type); i++) {
		const struct item *found = find(&s->plan.item[i], "getaddrinfo", "c", "found");
		struct env *env = env_of(&s->plan.item[i]);
		struct bound b;

		assert_int_equal(item_bind(found, env, &b, NULL), 0);
		assert_int_equal(value_get_int(b.args, "qp_type", 0), qp_type[i]);
		assert_int_equal(value_get_int(b.args, "flags", 0), 3);
		assert_string_equal(value_get_string(b.args, "node", ""), "10.0.0.1");
		bound_fini(&b);
		env_free(env);
	}
	scenario_free(s);
}

TEST(test_scenario__results_that_do_not_fit__are_an_error)
{
	struct scenario *s = load("everything.yaml");
	const struct item *rtr = nth_modify(&s->plan.item[0], "c", 1);
	auto_value struct value *odd = value_map();
	struct env *env = env_of(&s->plan.item[0]);
	struct vbm_error err = {0};
	struct bound b;

	value_set_int(odd, "qp_num", 1LL << 40);
	env_set_result(env, "a", "q", odd);
	assert_int_equal(item_bind(rtr, env, &b, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "'dest_qp_num' is 1099511627776 and must be within"));
	assert_null(b.args);
	env_free(env);
	scenario_free(s);
}

TEST(test_scenario__what_steps_need__can_be_parsed)
{
	const struct step_family *const *f;
	const struct step_kind *k;
	struct vbm_error err;
	struct require req;

	for (f = step_families; *f; f++)
		for (k = (*f)->steps; k->name; k++)
			if (k->needs && require_parse(&req, k->needs, &err) < 0)
				fail_msg("%s: %s", k->name, err.msg);
}

/* The errors of a scenario that uses the only fragment of the suite at @root. */
static char *errors_with(const char *root)
{
	static const char text[] = "scenario: s\nsteps:\n  - use: one\n";
	struct fragment_source source = fragments_of(root);
	const struct scenario_input in = {
		.path = "s.yaml", .id = "id", .text = text, .len = strlen(text),
		.fragments = &source, .clause_optional = true,
	};
	struct diagnostics diag = {0};
	struct scenario *s = NULL;
	char *errors;

	scenario_parse(&s, &in, &diag);
	errors = diagnostics_format(&diag, "s.yaml");
	diagnostics_fini(&diag);
	scenario_free(s);
	return errors;
}

/* A process may reuse a fragment that it has read only while the file is unchanged. */
TEST(test_scenario__a_fragment_that_changed__is_read_again)
{
	static const struct {
		const char *text, *error;	/* NULL: no error */
	} turns[] = {
		{"fragment: f\nsteps: [{a.open_device: {}}]\n", NULL},
		{"fragment: f\nsteps: [{a.open_devize: {}}]\n", "one.yaml:2:10: error: "},
		{"fragment: f\nsteps: [\n", "one.yaml:3:1: error: "},
		{"fragment: f\nsteps: [{a.open_device: {}}, {a.close_device: {}}]\n", NULL},
	};
	char root[] = "/tmp/verbatim-test-fragment-XXXXXX";
	auto_free char *dir = NULL, *path = NULL;
	size_t i;

	assert_non_null(mkdtemp(root));
	dir = xasprintf("%s/fragments", root);
	path = xasprintf("%s/one.yaml", dir);
	assert_int_equal(mkdir(dir, 0700), 0);
	for (i = 0; i < 2 * ARRAY_SIZE(turns); i++) {
		auto_free char *errors = NULL;

		if (i % 2 == 0)
			assert_int_equal(file_replace(path, turns[i / 2].text, NULL), 0);
		errors = errors_with(root);
		if (turns[i / 2].error)
			assert_non_null(strstr(errors, turns[i / 2].error));
		else
			assert_string_equal(errors, "");
	}
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(rmdir(root), 0);
}
