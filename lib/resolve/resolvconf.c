/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/resolve/resolvconf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/addr.h"
#include "lib/resolve/databases.h"

static bool is_word(const char *field, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(field, word, len);
}

/* The number in "timeout:3", limited to @most, or -1. */
static int number_option(const char *field, size_t len, const char *key, int most)
{
	size_t klen = strlen(key);
	int n = 0;

	if (len <= klen || memcmp(field, key, klen))
		return -1;
	for (size_t i = klen; i < len; i++) {
		if (field[i] < '0' || field[i] > '9')
			return -1;
		n = 10 * n + field[i] - '0';
		if (n > most)
			return most;
	}
	return n;
}

static void parse_options(struct resolv_conf *conf, const char *at, const char *end)
{
	const char *field;
	size_t len;
	int n;

	while ((field = vbm_text_field(&at, end, &len))) {
		n = number_option(field, len, "ndots:", 15);
		if (n >= 0)
			conf->ndots = n;
		n = number_option(field, len, "timeout:", 30);
		if (n > 0)
			conf->timeout = n;
		n = number_option(field, len, "attempts:", 5);
		if (n > 0)
			conf->attempts = n;
		if (is_word(field, len, "rotate"))
			conf->rotate = true;
		if (is_word(field, len, "use-vc"))
			conf->use_tcp = true;
	}
}

static void parse_search(struct resolv_conf *conf, const char *at,
			 const char *end, size_t most)
{
	const char *field;
	size_t len;

	conf->searches = 0;
	while (conf->searches < most && (field = vbm_text_field(&at, end, &len))) {
		while (len && field[len - 1] == '.')
			len--;
		if (len >= sizeof(conf->search[0]))
			continue;
		memcpy(conf->search[conf->searches], field, len);
		conf->search[conf->searches++][len] = '\0';
	}
}

static void parse_server(struct resolv_conf *conf, const char *at, const char *end)
{
	size_t len;
	const char *field = vbm_text_field(&at, end, &len);
	char text[128];

	if (!field || len >= sizeof(text) || conf->servers == RESOLV_SERVERS)
		return;
	memcpy(text, field, len);
	text[len] = '\0';
	if (vbm_literal_read(text, &conf->server[conf->servers]) == LITERAL_ADDRESS)
		conf->servers++;
}

static void parse_line(struct resolv_conf *conf, const char *at, const char *end)
{
	size_t len;
	const char *key = vbm_text_field(&at, end, &len);

	if (!key || *key == ';')
		return;
	if (is_word(key, len, "nameserver"))
		parse_server(conf, at, end);
	else if (is_word(key, len, "domain"))
		parse_search(conf, at, end, 1);
	else if (is_word(key, len, "search"))
		parse_search(conf, at, end, RESOLV_SEARCH);
	else if (is_word(key, len, "options"))
		parse_options(conf, at, end);
}

void vbm_resolv_parse(struct resolv_conf *conf, const char *text, size_t len)
{
	const char *end = text + len, *next;

	memset(conf, 0, sizeof(*conf));
	conf->ndots = 1;
	conf->timeout = 5;
	conf->attempts = 2;
	for (const char *at = text; at < end; at = next) {
		const char *stop = vbm_text_line(at, end, &next);

		parse_line(conf, at, stop);
	}
}

static void own_domain(struct resolv_conf *conf)
{
	char host[256];
	const char *dot;

	if (gethostname(host, sizeof(host)))
		return;
	host[sizeof(host) - 1] = '\0';
	dot = strchr(host, '.');
	if (dot)
		parse_search(conf, dot + 1, host + strlen(host), 1);
}

void vbm_resolv_complete(struct resolv_conf *conf)
{
	const char *domain = secure_getenv("LOCALDOMAIN");
	const char *options = secure_getenv("RES_OPTIONS");

	if (domain)
		parse_search(conf, domain, domain + strlen(domain), RESOLV_SEARCH);
	else if (!conf->searches)
		own_domain(conf);
	if (options)
		parse_options(conf, options, options + strlen(options));
	if (!conf->servers) {
		vbm_addr_set_in(&conf->server[0], INADDR_LOOPBACK, 0);
		conf->servers = 1;
	}
}

int vbm_resolv_load(struct resolv_conf *conf, const char *path)
{
	char *text = NULL;
	size_t len = 0;
	int ret = vbm_slurp(path, &text, &len);

	if (ret < 0 && ret != -ENOENT)
		return ret;
	vbm_resolv_parse(conf, text, len);
	free(text);
	vbm_resolv_complete(conf);
	return 0;
}

bool vbm_resolv_candidate(const struct resolv_conf *conf, const char *name, size_t n,
			  char *out, size_t room)
{
	size_t len = strlen(name), searches = conf->searches;
	int dots = 0;
	bool plain_first;

	for (size_t i = 0; i < len; i++)
		dots += name[i] == '.';
	if (len && name[len - 1] == '.') {
		searches = 0;
		len--;
	}
	if (n > searches)
		return false;
	plain_first = dots >= conf->ndots || !searches;
	if (n == (plain_first ? 0 : searches))
		return snprintf(out, room, "%.*s", (int)len, name) < (int)room;
	n -= plain_first;
	if (!conf->search[n][0])
		return snprintf(out, room, "%.*s", (int)len, name) < (int)room;
	/* A name that does not fit cannot exist; an empty name tells the caller so. */
	if (snprintf(out, room, "%.*s.%s", (int)len, name, conf->search[n]) >= (int)room)
		*out = '\0';
	return true;
}
