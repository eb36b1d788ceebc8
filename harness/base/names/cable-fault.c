/* SPDX-License-Identifier: BSD-2-Clause */
#include "names/cable-fault.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "lib/base/fail.h"

#define UNITS_MAX 4
#define DECIMALS 3

/* The first unit that a value has without a rest is the one in which it is shown. */
struct unit {
	const char *name;
	int64_t size;
};

static const struct {
	const char *name, *takes;
	int64_t min, max;
	struct unit unit[UNITS_MAX];
} faults[CABLE_FAULTS] = {
	[CABLE_LOSS] = {"loss", "a percentage of the packets, as in 3% or 0.5%, from 0.001% to 100%",
			10, 1000000, {{"%", 10000}}},
	[CABLE_DELAY] = {"delay", "a time, as in 2ms, 500us or 0.1s, from 1us to 60s",
			 1, 60000000, {{"s", 1000000}, {"ms", 1000}, {"us", 1}}},
	[CABLE_RATE] = {"rate", "bits per second, as in 1gbit, 100mbit or 64kbit, from 8kbit to 400gbit",
			8000, 400000000000, {{"gbit", 1000000000}, {"mbit", 1000000}, {"kbit", 1000}, {"bit", 1}}},
};

const char *cable_fault_name(enum cable_fault fault)
{
	return faults[fault].name;
}

int cable_fault_called(const char *name)
{
	int i;

	for (i = 0; i < CABLE_FAULTS; i++)
		if (strcmp(faults[i].name, name) == 0)
			return i;
	return -1;
}

/* The number at @text in thousandths; @len is its length. */
static bool read_thousandths(const char *text, size_t len, int64_t *out)
{
	const char *dot = memchr(text, '.', len);
	size_t whole = dot ? (size_t)(dot - text) : len, n = dot ? len - whole - 1 : 0, i;
	int64_t a, b = 0;

	if (!number_part(text, whole, 0, 1000000000, &a))
		return false;
	if (dot && (n == 0 || n > DECIMALS || !number_part(dot + 1, n, 0, 999, &b)))
		return false;
	for (i = n; i < DECIMALS && dot; i++)
		b *= 10;
	*out = a * 1000 + b;
	return true;
}

int cable_fault_read(enum cable_fault fault, const char *text, int64_t *value, struct vbm_error *err)
{
	size_t len = strspn(text, "0123456789."), i;
	int64_t n = 0;

	for (i = 0; i < UNITS_MAX && faults[fault].unit[i].name; i++) {
		const struct unit *u = &faults[fault].unit[i];

		if (strcmp(text + len, u->name) != 0 || !read_thousandths(text, len, &n))
			continue;
		/* Whole units and thousandths apart, because their product may be too large. */
		n = n / 1000 > faults[fault].max / u->size ? -1 :
		    n / 1000 * u->size + n % 1000 * u->size / 1000;
		if (n < faults[fault].min || n > faults[fault].max)
			break;
		*value = n;
		return 0;
	}
	return vbm_fail(err, EINVAL, "%s takes %s, not '%s'", faults[fault].name, faults[fault].takes, text);
}

static const struct unit *fitting(int fault, int64_t value)
{
	size_t i;

	for (i = 0; i + 1 < UNITS_MAX && faults[fault].unit[i + 1].name; i++)
		if (value % faults[fault].unit[i].size == 0)
			break;
	return &faults[fault].unit[i];
}

void cable_faults_text(const struct cable_faults *f, char text[CABLE_FAULTS_TEXT_MAX])
{
	size_t len = 0;
	int i;

	text[0] = '\0';
	for (i = 0; i < CABLE_FAULTS; i++) {
		const struct unit *u = fitting(i, f->value[i]);
		int64_t rest = f->value[i] % u->size * 10000 / u->size;

		if (!f->value[i])
			continue;
		len += (size_t)snprintf(text + len, CABLE_FAULTS_TEXT_MAX - len, "%s%s %" PRId64, len ? ", " : "",
					faults[i].name, f->value[i] / u->size);
		if (rest) {
			len += (size_t)snprintf(text + len, CABLE_FAULTS_TEXT_MAX - len, ".%04" PRId64, rest);
			while (text[len - 1] == '0')
				len--;
		}
		len += (size_t)snprintf(text + len, CABLE_FAULTS_TEXT_MAX - len, "%s", u->name);
	}
}
