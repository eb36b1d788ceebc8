/* SPDX-License-Identifier: BSD-2-Clause */
#include "plan/cover.h"

#include <stdint.h>

/* cover_all() compares only this many expectations. */
#define ALTERNATIVES_MAX 64

static bool is_number(const struct value *v)
{
	return v && v->type == VALUE_INT;
}

/* Whether @e matches @n. Then @last is the end of the numbers from @n on that @e matches without a gap. */
static bool takes_from(const struct value *e, int64_t n, int64_t *last)
{
	const struct value *not = value_get(e, "not"), *min = value_get(e, "min");
	const struct value *max = value_get(e, "max");

	*last = INT64_MAX;
	if (is_number(e)) {
		*last = e->i;
		return e->i == n;
	}
	if (is_number(not)) {
		if (not->i > n)
			*last = not->i - 1;
		return not->i != n;
	}
	if (is_number(max))
		*last = max->i;
	return (is_number(min) || is_number(max)) && (!min || (is_number(min) && min->i <= n)) &&
	       (!max || (is_number(max) && n <= max->i));
}

static bool cover_numbers(struct value *const *expectation, size_t count)
{
	int64_t n = INT64_MIN, last;
	size_t i = 0;

	while (i < count) {
		if (!takes_from(expectation[i++], n, &last))
			continue;
		if (last == INT64_MAX)
			return true;
		n = last + 1;
		i = 0;
	}
	return false;
}

/* Whether some expectation matches the one value that @not excludes: that value, or {not: another}. */
static bool cover_the_rest(const struct value *not, struct value *const *expectation, size_t count)
{
	const struct value *other;
	size_t i;

	for (i = 0; i < count; i++) {
		other = value_get(expectation[i], "not");
		if (value_equal(not, expectation[i]) ||
		    (other && not->type != VALUE_EXPR && other->type == not->type &&
		     !value_equal(not, other)))
			return true;
	}
	return false;
}

bool cover_all(struct value *const *expectation, size_t count)
{
	const struct value *not;
	size_t i;

	for (i = 0; i < count; i++)
		if (value_get_bool(expectation[i], "any", false))
			return true;
	if (count > ALTERNATIVES_MAX)
		count = ALTERNATIVES_MAX;
	for (i = 0; i < count; i++) {
		not = value_get(expectation[i], "not");
		if (not && cover_the_rest(not, expectation, count))
			return true;
	}
	return cover_numbers(expectation, count);
}
