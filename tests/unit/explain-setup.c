/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain-setup.h"

#include "cmocka_all.h"

#include "base/text.h"
#include "base/value.h"

struct survey survey;
struct coverage coverage;

int load(void **state)
{
	struct text problems auto_text = {0};

	(void)state;
	if (survey_load(&survey, test_data("coverage/scenarios"), NULL, &problems, NULL) < 0)
		return -1;
	coverage_make(&coverage, &survey, NULL);
	return 0;
}

int unload(void **state)
{
	(void)state;
	coverage_fini(&coverage);
	survey_fini(&survey);
	return 0;
}

const struct value *only(const struct value *matches)
{
	assert_int_equal(matches->list.count, 1);
	return matches->list.item[0];
}
