/* SPDX-License-Identifier: BSD-2-Clause */
#include "names/device-words.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

static int read_type(const struct device_type **out, const char *name, size_t len, struct vbm_error *err)
{
	auto_free char *word = xstrndup(name, len);

	return device_type_parse(word, out, err);
}

/* "rxe" or "rxe+siw". */
static int read_pair(struct device_pair *out, const char *word, size_t len, struct vbm_error *err)
{
	const char *plus = memchr(word, '+', len);
	size_t first = plus ? (size_t)(plus - word) : len;
	int ret = read_type(&out->first, word, first, err);

	if (ret < 0 || !plus)
		return ret;
	ret = read_type(&out->second, plus + 1, len - first - 1, err);
	if (ret == 0 && out->second == out->first)
		ret = vbm_fail(err, EINVAL, "an interface has one device of a type, and %.*s names it twice", (int)len, word);
	return ret;
}

int device_words_give(struct device_words *out, const char *host, const char *types, size_t len, struct vbm_error *err)
{
	int number = islower((unsigned char)host[0]) && !host[1] ? host[0] - 'a' : -1;

	if (number < 0)
		return vbm_fail(err, EINVAL, "hosts are called a to z, not %s", host);
	if (out->host[number].first)
		return vbm_fail(err, EINVAL, "host %s has a device already", host);
	if (out->named <= number)
		out->named = number + 1;
	return read_pair(&out->host[number], types, len, err);
}

/* One word of "a=rxe,b=siw". */
static int read_device_word(struct device_words *out, const char *word, size_t len, struct vbm_error *err)
{
	const char *sign = memchr(word, '=', len);
	char host[2] = {sign == word + 1 ? word[0] : '?', '\0'};

	if (host[0] < 'a' || host[0] > 'z')
		return vbm_fail(err, EINVAL, "'%.*s' is no device of a host, such as a=rxe; hosts are called a to z", (int)len, word);
	return device_words_give(out, host, sign + 1, len - 2, err);
}

int device_words_read(struct device_words *out, const char *text, struct vbm_error *err)
{
	const char *word = text;
	size_t len;
	int ret = 0;

	*out = (struct device_words){0};
	if (!strpbrk(text, "=,"))
		return read_pair(&out->rest, text, strlen(text), err);
	while (ret == 0) {
		len = strcspn(word, ",");
		ret = read_device_word(out, word, len, err);
		if (ret < 0)
			vbm_wrap(err, "at character %d", (int)(word - text) + 1);
		if (!word[len])
			break;
		word += len + 1;
	}
	return ret;
}

int device_words_fit(const struct device_words *w, int hosts, struct vbm_error *err)
{
	return w->named <= hosts ? 0 : vbm_fail(err, EINVAL, "there is no host '%c': the hosts are a to %c", 'a' + w->named - 1, 'a' + hosts - 1);
}

struct device_pair device_words_of(const struct device_words *w, int host)
{
	struct device_pair pair = host < DEVICE_HOSTS && w->host[host].first ? w->host[host] : w->rest;

	pair.first = device_type_or_default(pair.first);
	return pair;
}

bool device_words_have(const struct device_words *w, int hosts, const struct device_type *type)
{
	struct device_pair pair;
	int i;

	for (i = 0; i < hosts; i++) {
		pair = device_words_of(w, i);
		if (pair.first == type || pair.second == type)
			return true;
	}
	return false;
}

char *device_words_types(const struct device_words *w, int hosts)
{
	struct text text = {0};
	const struct device_type *type;
	size_t i;

	text_add(&text, "");
	for (i = 0; (type = device_type_nth(i)); i++)
		if (device_words_have(w, hosts, type))
			text_addf(&text, "%s%s", text.len ? " " : "", type->name);
	return text.s;
}

bool device_words_by_cm(const struct device_words *w, int hosts)
{
	struct device_pair pair;
	int i;

	for (i = 0; i < hosts; i++) {
		pair = device_words_of(w, i);
		if (pair.first->by_cm)
			return true;
	}
	return false;
}

bool device_words_second(const struct device_words *w)
{
	bool has = w->rest.second;
	int i;

	for (i = 0; i < w->named; i++)
		has = has || w->host[i].second;
	return has;
}

static bool are_same(const struct device_pair *a, const struct device_pair *b)
{
	return a->first == b->first && a->second == b->second;
}

static void add_pair(struct text *text, const struct device_pair *pair)
{
	text_addf(text, "%s%s%s", pair->first->name, pair->second ? "+" : "", pair->second ? pair->second->name : "");
}

char *device_words_text(const struct device_words *w, int hosts)
{
	struct device_pair first = device_words_of(w, 0), pair;
	struct text text = {0};
	bool same = true;
	int i;

	for (i = 1; i < hosts; i++) {
		pair = device_words_of(w, i);
		same = same && are_same(&first, &pair);
	}
	if (same)
		add_pair(&text, &first);
	for (i = 0; !same && i < hosts && i < DEVICE_HOSTS; i++) {
		pair = device_words_of(w, i);
		text_addf(&text, "%s%c=", i ? "," : "", 'a' + i);
		add_pair(&text, &pair);
	}
	return text.s;
}
