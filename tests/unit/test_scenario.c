/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "catalogue/files.h"
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

/* What "verbatim check" would print for one file of tests/data. */
static char *errors_of(const char *dir, const char *name)
{
	auto_free char *path = xasprintf("%s/%s", test_data(dir), name);
	auto_free char *text = slurp(path);
	struct diagnostics diag = {0};
	struct scenario *s = NULL;
	char *errors;
	int ret;

	assert_non_null(text);
	ret = scenario_parse(&s, name, "id", text, strlen(text), &diag);
	assert_int_equal(ret, diag.count ? -EINVAL : 0);
	errors = diagnostics_format(&diag, name);
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

/* VBM_GOLDEN=write makes the golden files anew; read the difference then. */
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

static void test_scenario__bad_files__are_told_exactly(void **state)
{
	(void)state;
	each_of("yaml-bad", is_bad_as_told);
}

static void test_scenario__good_files__have_no_error(void **state)
{
	(void)state;
	each_of("yaml-good", is_good);
}

static struct scenario *load(const char *name)
{
	auto_free char *path = xasprintf("%s/%s", test_data("yaml-good"), name);
	struct scenario_file file = {.path = path, .id = path};
	struct diagnostics diag = {0};
	struct scenario *s = NULL;

	assert_int_equal(scenario_load(&s, &file, &diag, NULL), 0);
	diagnostics_fini(&diag);
	return s;
}

static const struct plan_step *find(const struct scenario *s, const char *step, int host,
				    const char *as)
{
	size_t i;

	for (i = 0; i < s->step_count; i++)
		if (s->steps[i].host == host && !strcmp(s->steps[i].kind->name, step) &&
		    (!as || (s->steps[i].as && !strcmp(s->steps[i].as, as))))
			return &s->steps[i];
	fail_msg("there is no step %c.%s", 'a' + host, step);
	return NULL;
}

static void test_scenario__head__arrives(void **state)
{
	struct scenario *s = load("everything.yaml");

	(void)state;
	assert_string_equal(s->title, "a title: with a colon");
	assert_int_equal(s->hosts, 3);
	assert_int_equal(s->clause_count, 2);
	assert_string_equal(s->clauses[1], "CQ-CREATE");
	assert_int_equal(s->clause_pos[1].col, 20);
	assert_int_equal(s->requires->list.count, 3);
	assert_int_equal(s->vary->map.count, 4);
	scenario_free(s);
}

static void test_scenario__constants__become_integers(void **state)
{
	struct scenario *s = load("everything.yaml");
	const struct plan_step *passive = find(s, "getaddrinfo", 2, "passive");
	const struct value *flags = value_get(passive->args, "flags");

	(void)state;
	assert_int_equal(flags->type, VALUE_INT);
	assert_int_equal(flags->i, 1);
	assert_string_equal(flags->text, "PASSIVE");
	assert_string_equal(value_get_string(passive->args, "service", ""), "0x10");
	assert_int_equal(value_get(passive->args, "node")->type, VALUE_NULL);
	assert_int_equal(value_get_int(value_get(passive->expect, "return"), "not", 0), -2);
	scenario_free(s);
}

static void test_scenario__step_keys__arrive(void **state)
{
	struct scenario *s = load("everything.yaml");
	const struct plan_step *poll = find(s, "poll_cq", 0, NULL);
	const struct plan_step *found = find(s, "getaddrinfo", 2, "found");

	(void)state;
	assert_int_equal(poll->deadline_ms, 2500);
	assert_null(poll->as);
	assert_int_equal(found->deadline_ms, SCENARIO_DEADLINE_MS);
	assert_string_equal(found->note, "why this step is here");
	assert_int_equal(found->pos.line, 16);
	assert_int_equal(found->pos.col, 5);
	scenario_free(s);
}

static void test_scenario__usual_names__are_given(void **state)
{
	struct scenario *s = load("minimal.yaml");

	(void)state;
	assert_int_equal(s->step_count, 1);
	assert_string_equal(s->steps[0].as, "ctx");
	scenario_free(s);
}

/* The environment of a scenario in which every qp came out as number 17. */
static struct env *env_of(const struct scenario *s, size_t variant)
{
	auto_value struct value *qp = value_map();
	struct host_info host = {.ip4 = "10.0.0.1", .ip6 = "fd00::1", .port = 1,
				 .gid_index4 = 1, .gid_index6 = 2};
	struct variants v;
	struct env *env;
	int i;

	value_set_int(qp, "qp_num", 17);
	scenario_variants(s, &v);
	env = env_new(v.item[variant].vars);
	variants_fini(&v);
	for (i = 0; i < s->hosts; i++) {
		host.name[0] = (char)('a' + i);
		env_set_host(env, &host);
		env_set_result(env, host.name, "q", qp);
	}
	return env;
}

static const struct plan_step *nth_modify(const struct scenario *s, int host, int n)
{
	size_t i;

	for (i = 0; i < s->step_count; i++)
		if (!strcmp(s->steps[i].kind->name, "modify_qp") && s->steps[i].host == host &&
		    !strcmp(value_get_string(s->steps[i].args, "qp", ""), "q") && n-- == 0)
			return &s->steps[i];
	fail_msg("there is no such modify_qp");
	return NULL;
}

static void test_scenario__qps__become_steps(void **state)
{
	struct scenario *s = load("everything.yaml");
	const struct plan_step *rtr = nth_modify(s, 2, 1);
	auto_value struct value *args = NULL, *expect = NULL;
	struct env *env = env_of(s, 7);

	(void)state;
	/* The last variant: ip 6, mtu 4096. */
	assert_int_equal(plan_bind(rtr, env, &args, &expect, NULL), 0);
	assert_int_equal(value_get_int(args, "state", 0), 2);
	assert_int_equal(value_get_int(args, "path_mtu", 0), 5);
	assert_int_equal(value_get_int(args, "dest_qp_num", 0), 17);
	assert_string_equal(value_get_string(args, "dest_gid", ""), "fd00::1");
	assert_int_equal(value_get_int(args, "gid_index", 0), 2);
	assert_int_equal(value_get_int(args, "rq_psn", 0), 0x1234);
	assert_null(expect);
	assert_int_equal(rtr->pos.line, 12);
	assert_int_equal(value_get(nth_modify(s, 0, 2)->args, "timeout")->i, 10);
	env_free(env);
	scenario_free(s);
}

static void test_scenario__variables__fit_once_they_are_known(void **state)
{
	struct scenario *s = load("everything.yaml");
	const struct plan_step *found = find(s, "getaddrinfo", 2, "found");
	static const int64_t qp_type[] = {2, 3};
	size_t variant;

	(void)state;
	for (variant = 0; variant < ARRAY_SIZE(qp_type); variant++) {
		auto_value struct value *args = NULL, *expect = NULL;
		struct env *env = env_of(s, variant);

		assert_int_equal(plan_bind(found, env, &args, &expect, NULL), 0);
		assert_int_equal(value_get_int(args, "qp_type", 0), qp_type[variant]);
		assert_int_equal(value_get_int(args, "flags", 0), 3);
		assert_string_equal(value_get_string(args, "node", ""), "10.0.0.1");
		env_free(env);
	}
	scenario_free(s);
}

static void test_scenario__results_that_do_not_fit__are_an_error(void **state)
{
	struct scenario *s = load("everything.yaml");
	const struct plan_step *rtr = nth_modify(s, 2, 1);
	auto_value struct value *args = NULL, *expect = NULL, *odd = value_map();
	struct env *env = env_of(s, 0);
	struct vbm_error err = {0};

	(void)state;
	value_set_int(odd, "qp_num", 1LL << 40);
	env_set_result(env, "a", "q", odd);
	assert_int_equal(plan_bind(rtr, env, &args, &expect, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "'dest_qp_num' is 1099511627776 and must be within"));
	assert_null(args);
	env_free(env);
	scenario_free(s);
}

static void test_scenario__what_steps_need__can_be_parsed(void **state)
{
	const struct step_family *const *f;
	const struct step_kind *k;
	struct vbm_error err;
	struct require req;

	(void)state;
	for (f = step_families; *f; f++)
		for (k = (*f)->steps; k->name; k++)
			if (k->needs && require_parse(&req, k->needs, &err) < 0)
				fail_msg("%s: %s", k->name, err.msg);
}

VBM_TESTS(cmocka_unit_test(test_scenario__bad_files__are_told_exactly),
	  cmocka_unit_test(test_scenario__good_files__have_no_error),
	  cmocka_unit_test(test_scenario__head__arrives),
	  cmocka_unit_test(test_scenario__constants__become_integers),
	  cmocka_unit_test(test_scenario__step_keys__arrive),
	  cmocka_unit_test(test_scenario__usual_names__are_given),
	  cmocka_unit_test(test_scenario__qps__become_steps),
	  cmocka_unit_test(test_scenario__variables__fit_once_they_are_known),
	  cmocka_unit_test(test_scenario__results_that_do_not_fit__are_an_error),
	  cmocka_unit_test(test_scenario__what_steps_need__can_be_parsed));
