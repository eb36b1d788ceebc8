/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/resolve/getaddrinfo.c lib/resolve/translation.c */
/* Numeric nodes and services, valid ones and nearly valid ones. */
#include <stdio.h>
#include <string.h>

#include "numeric.h"
#include "random.h"

/* Text of limited size; more is cut off. */
struct text {
	char s[400];
	size_t len;
};

static void put(struct text *t, const char *s)
{
	size_t n = strlen(s);

	if (n > sizeof(t->s) - 1 - t->len)
		n = sizeof(t->s) - 1 - t->len;
	memcpy(t->s + t->len, s, n);
	t->len += n;
	t->s[t->len] = '\0';
}

static void put_number(struct text *t, int width, unsigned int n)
{
	char s[32];

	snprintf(s, sizeof(s), "%0*u", width, n);
	put(t, s);
}

static void put_hex(struct text *t, int width, bool upper, unsigned int n)
{
	char s[32];

	snprintf(s, sizeof(s), upper ? "%0*X" : "%0*x", width, n);
	put(t, s);
}

static void put_many(struct text *t, const char *s, unsigned int times)
{
	while (times--)
		put(t, s);
}

/* True once in @times. */
static bool rarely(struct dice *d, unsigned int times)
{
	return !dice_roll(d, times);
}

static void put_part(struct dice *d, struct text *t)
{
	static const char *const odd[] = {
		"", "256", "999", "00", "010", "08", "0x7f", "0X0a", "1e1", "-1", "+1", "65535",
		"65536", "16777215", "4294967295", "4294967296", "18446744073709551616", NULL,
	};

	if (rarely(d, 12))
		put(t, dice_pick(d, odd));
	else
		put_number(t, rarely(d, 20) ? 3 : 1, dice_roll(d, 256));
}

static void put_in(struct dice *d, struct text *t)
{
	unsigned int parts = rarely(d, 6) ? dice_roll(d, 7) : 4;

	for (unsigned int i = 0; i < parts; i++) {
		put(t, i ? "." : "");
		put_part(d, t);
	}
}

static void put_group(struct dice *d, struct text *t)
{
	static const char *const odd[] = {"", "00000", "10000", "fffff", "g", "0x1", "-1", NULL};

	if (rarely(d, 24))
		put(t, dice_pick(d, odd));
	else
		put_hex(t, rarely(d, 2) ? 1 : 4, rarely(d, 2),
			rarely(d, 3) ? 0 : dice_roll(d, rarely(d, 2) ? 0x10000 : 16));
}

static void put_in6(struct dice *d, struct text *t)
{
	static const char *const starts[] = {
		"fe80:", "FE80:", "fe80::", "febf::", "fec0::", "ff01::", "ff02::", "FF02::",
		"ff05::", "ff0e::", "ff11::", "ff12::", "ff32::", "ff00::", "ff03::", "::",
		"::ffff:", "::FFFF:0:", "0:0:0:0:0:ffff:", "64:ff9b::", "2001:db8::", "2001:db8:",
		"fc00::", "2002:", "", "", ":", NULL,
	};
	unsigned int groups = rarely(d, 2) ? 1 : dice_roll(d, 9);
	unsigned int gap = rarely(d, 3) ? dice_roll(d, 9) : 99;

	put(t, dice_pick(d, starts));
	for (unsigned int i = 0; i < groups; i++) {
		put(t, i == gap ? "::" : i ? ":" : "");
		put_group(d, t);
	}
	if (rarely(d, 8))
		put(t, ":");
	if (rarely(d, 4))
		put_in(d, t);
}

static void put_scope(struct dice *d, struct text *t)
{
	static const char *const scopes[] = {
		"lo", "lo", "lo", "1", "2", "7", "0", "00", "0000000001", "00000000000000001", "77",
		"99999", "4294967295", "4294967296", "4294967297", "18446744073709551615",
		"18446744073709551616", "18446744073709551617", "99999999999999999999999",
		"", "%lo", "lo%lo", "lo ", " lo", " 1", "1 ", "+1", "-1", "0x1", "1x", "LO", "lo:1",
		"lo.", "lo/64", "nosuchif", "lo0000000000000000", "eth0", "l", "l\to", "1.", "1%1",
		NULL,
	};

	put(t, "%");
	if (rarely(d, 40))
		put_many(t, "0", dice_roll(d, 300));
	if (rarely(d, 6))
		put_number(t, 1, (unsigned int)dice_bits(d));
	else
		put(t, dice_pick(d, scopes));
}

static void mutate(struct dice *d, struct text *t)
{
	static const char alphabet[] = "0123456789abcdefABCDEFx:.%/ \t\r[]*-+,_@#lo\x01\x7f\xc3\xa9";
	char c[2] = {alphabet[dice_roll(d, sizeof(alphabet) - 1)]};
	size_t at = dice_roll(d, (unsigned int)t->len + 1);
	struct text tail = {0};

	put(&tail, t->s + at);
	t->len = at;
	t->s[at] = '\0';
	switch (dice_roll(d, 5)) {
	case 0:
		put(t, c);
		put(t, tail.s);
		break;
	case 1:
		put(t, c);
		put(t, tail.len ? tail.s + 1 : "");
		break;
	case 2:
		put(t, tail.len ? tail.s + 1 : "");
		break;
	case 3:
		put_many(t, tail.s, 2);
		break;
	case 4:
		put_many(t, c, dice_roll(d, rarely(d, 10) ? 300 : 4));
		put(t, tail.s);
		break;
	}
}

static void put_node(struct dice *d, struct text *t)
{
	static const char *const before[] = {" ", "\t", "[", "0", "+", "*", ".", ":", NULL};
	static const char *const behind[] = {" ", "\n", "]", ".", "..", "/64", "%", ":", "%1", NULL};

	if (rarely(d, 40))
		put(t, dice_pick(d, before));
	if (rarely(d, 3)) {
		put_in(d, t);
	} else {
		put_in6(d, t);
		if (rarely(d, 2))
			put_scope(d, t);
	}
	if (rarely(d, 40))
		put(t, dice_pick(d, behind));
	while (rarely(d, 4))
		mutate(d, t);
}

static void put_service(struct dice *d, struct text *t)
{
	static const char *const odd[] = {
		"", "*", "-0", "+0", "-1", "+80", " 80", "80 ", "\t80", "80\n", "0x50", "80x", "8e1",
		"65535", "65536", "065535", "0065536", "99999", "100000", "131152", "4294967376",
		"18446744073709551696", "80.", "8,0", "http", "00", NULL,
	};

	if (rarely(d, 20))
		put_many(t, "0", dice_roll(d, rarely(d, 4) ? 350 : 8));
	if (rarely(d, 4))
		put(t, dice_pick(d, odd));
	else
		put_number(t, 1, dice_roll(d, rarely(d, 8) ? 200000 : 0x10000));
	if (rarely(d, 20))
		mutate(d, t);
}

static bool run(struct dice *d, char *said, size_t room)
{
	struct text node = {0}, service = {0};
	unsigned int how = dice_roll(d, 1 << NUMERIC_BITS);

	put_node(d, &node);
	put_service(d, &service);
	return numeric_agrees(node.s, service.s, how, said, room);
}

const struct random_program random_program = {
	.about = "numeric nodes and services come to what getaddrinfo(3) makes of them",
	.cases = 200000,
	.run = run,
};
