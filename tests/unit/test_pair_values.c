/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: model/pair-values.c */
#include "cmocka_all.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/value.h"
#include "base/yaml.h"
#include "model/pair-values.h"

/* Compares each step modify_qp below @v that moves to @state; returns their number. */
static int compare_steps(const struct value *v, const char *state, enum ibv_qp_state number)
{
	const struct pair_value *p;
	const char *name;
	size_t i, k;
	int n = 0;

	for (i = 0; v->type == VALUE_LIST && i < v->list.count; i++)
		n += compare_steps(v->list.item[i], state, number);
	for (i = 0; v->type == VALUE_MAP && i < v->map.count; i++) {
		const struct value *args = v->map.member[i].value;

		name = strchr(v->map.member[i].key, '.');
		if (!name || strcmp(name, ".modify_qp") || strcmp(value_get_string(args, "state", ""), state)) {
			n += compare_steps(args, state, number);
			continue;
		}
		for (k = 0; (p = pair_value_nth(k)); k++)
			if (p->state == number && value_get(args, p->name)) {
				assert_int_equal(value_get_int(args, p->name, -1), p->number);
				n++;
			}
	}
	return n;
}

static int compare_file(const char *path, const char *state, enum ibv_qp_state number)
{
	struct diagnostics diag = {0};
	auto_free char *text = NULL;
	auto_value struct value *file = NULL;
	struct vbm_error err;
	size_t len;

	assert_int_equal(file_read(path, &text, &len, &err), 0);
	file = yaml_read(text, len, &diag);
	assert_non_null(file);
	diagnostics_fini(&diag);
	return compare_steps(file, state, number);
}

/* Twice each value of the table: for hosts a and b. */
TEST(test_pair_values__fragments__have_the_same)
{
	const char *path = test_data("../../scenarios/fragments/connect_pair.yaml");

	assert_int_equal(compare_file(path, "RTR", IBV_QPS_RTR), 2 * 4);
	assert_int_equal(compare_file(path, "RTS", IBV_QPS_RTS), 2 * 5);
	assert_int_equal(compare_file(test_data("../../scenarios/fragments/ready_datagrams.yaml"), "RTS", IBV_QPS_RTS), 2);
}
