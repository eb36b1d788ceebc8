/* SPDX-License-Identifier: BSD-2-Clause */
#include "services/etc-files.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/xalloc.h"

#define BLANK " \t"

const char etc_nsswitch[] =
	"passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n";

const struct resolv_option resolv_options[] = {
	{"timeout", 1, 30, 5, "seconds until a question is asked again"},
	{"attempts", 1, 5, 2, "how often a question is asked"},
	{"ndots", 0, 15, 1, "names with fewer dots are tried in the search list first"},
	{NULL, 0, 0, 0, NULL},
};

/* One pass over a value: it checks, and writes if @out is not NULL. */
struct etc_files_making {
	struct diagnostics *diag;
	FILE *out;
	int hosts;	/* number of hosts in the fabric */
};

static bool is_address(const char *text)
{
	unsigned char bytes[16];

	return inet_pton(AF_INET, text, bytes) == 1 || inet_pton(AF_INET6, text, bytes) == 1;
}

static bool is_word(const struct value *v)
{
	return v->type == VALUE_STRING && *v->s && !strpbrk(v->s, BLANK "\r\n#");
}

/* "192.0.2.1 name alias..." as in hosts(5). */
static void hosts_line(struct etc_files_making *m, const struct value *v)
{
	auto_free char *copy = xstrdup(v->s);
	char *save = NULL, *address = strtok_r(copy, BLANK, &save);

	if (strpbrk(v->s, "\r\n#") || !address || !is_address(address) ||
	    !strtok_r(NULL, BLANK, &save))
		diag_add(m->diag, v->pos, NULL,
			 "a line of 'hosts' is an IP address and at least one name");
	else if (m->out)
		fprintf(m->out, "%s\n", v->s);
}

static void hosts_names(struct etc_files_making *m, const struct value *v)
{
	size_t i;

	if (v->type != VALUE_LIST) {
		if (!is_word(v))
			diag_add(m->diag, v->pos, NULL, "'names' takes a name or a list of names");
		else if (m->out)
			fprintf(m->out, " %s", v->s);
		return;
	}
	for (i = 0; i < v->list.count; i++)
		hosts_names(m, v->list.item[i]);
	if (!v->list.count)
		diag_add(m->diag, v->pos, NULL, "'names' takes at least one name");
}

/* {address: $b.ip4, names: [x, y]}, with a reference as the address */
static void hosts_map(struct etc_files_making *m, const struct value *v)
{
	const struct value *address = value_get(v, "address"), *names = value_get(v, "names");

	if (!address || !names || v->map.count != 2) {
		diag_add(m->diag, v->pos, NULL, "an item of 'hosts' needs 'address' and 'names'");
		return;
	}
	if (!diag_spares(m->diag, address) &&
	    (address->type != VALUE_STRING || !is_address(address->s)))
		diag_add(m->diag, address->pos, NULL, "'address' takes an IP address");
	else if (m->out)
		fprintf(m->out, "%s", address->s);
	hosts_names(m, names);
	if (m->out)
		fputc('\n', m->out);
}

static void hosts_list(struct etc_files_making *m, const struct value *v)
{
	size_t i;

	if (v->type != VALUE_LIST) {
		diag_add(m->diag, v->pos, NULL,
			 "'hosts' takes a list of lines, or a map from hosts to such lists");
		return;
	}
	for (i = 0; i < v->list.count; i++) {
		const struct value *item = v->list.item[i];

		if (item->type == VALUE_MAP)
			hosts_map(m, item);
		else if (item->type == VALUE_STRING)
			hosts_line(m, item);
		else
			diag_add(m->diag, item->pos, NULL,
				 "a line of 'hosts' is an IP address and at least one name");
	}
}

static void hosts_check(struct etc_files_making *m, const struct value *v)
{
	const struct value_member *host;
	size_t i;

	if (v->type != VALUE_MAP) {
		hosts_list(m, v);
		return;
	}
	for (i = 0; i < v->map.count; i++) {
		host = &v->map.member[i];
		if (strlen(host->key) != 1 || host->key[0] < 'a' ||
		    host->key[0] >= 'a' + m->hosts)
			diag_add(m->diag, host->pos, NULL,
				 "there is no host '%s' in this fabric, which has hosts a to %c",
				 host->key, 'a' + m->hosts - 1);
		hosts_list(m, host->value);
	}
}

void etc_check_hosts(const struct value *v, int hosts, struct diagnostics *diag)
{
	struct etc_files_making m = {.diag = diag, .hosts = hosts};

	hosts_check(&m, v);
}

/* "17471/tcp" */
static void services_entry(struct etc_files_making *m, const char *name, const struct value *v)
{
	unsigned int port;
	char proto[8];
	int end = 0;

	if (diag_spares(m->diag, v))
		return;
	if (v->type != VALUE_STRING || strspn(v->s, "0123456789") > 5 ||
	    sscanf(v->s, "%5u/%7[a-z]%n", &port, proto, &end) != 2 || v->s[end] ||
	    port > 65535 || (strcmp(proto, "tcp") && strcmp(proto, "udp")))
		diag_add(m->diag, v->pos, NULL, "a service is PORT/tcp or PORT/udp");
	else if (m->out)
		fprintf(m->out, "%s\t%u/%s\n", name, port, proto);
}

static void services_make(struct etc_files_making *m, const struct value *v)
{
	const struct value_member *s;
	size_t i, k;

	if (v->type != VALUE_MAP) {
		diag_add(m->diag, v->pos, NULL,
			 "'services' takes a map from names to PORT/tcp or PORT/udp");
		return;
	}
	for (i = 0; i < v->map.count; i++) {
		s = &v->map.member[i];
		if (!*s->key || strpbrk(s->key, BLANK "\r\n#/"))
			diag_add(m->diag, s->pos, NULL,
				 "'%s' cannot be the name of a service", s->key);
		if (s->value->type != VALUE_LIST) {
			services_entry(m, s->key, s->value);
			continue;
		}
		for (k = 0; k < s->value->list.count; k++)
			services_entry(m, s->key, s->value->list.item[k]);
	}
}

void etc_check_services(const struct value *v, int hosts, struct diagnostics *diag)
{
	struct etc_files_making m = {.diag = diag, .hosts = hosts};

	services_make(&m, v);
}

static const struct resolv_option *find_option(const char *name)
{
	const struct resolv_option *o;

	for (o = resolv_options; o->name; o++)
		if (strcmp(o->name, name) == 0)
			break;
	return o;
}

static void resolv_check(struct etc_files_making *m, const struct value *v)
{
	const struct resolv_option *o;
	const struct value_member *e;
	struct suggestion s;
	size_t i;

	if (v->type != VALUE_MAP) {
		diag_add(m->diag, v->pos, NULL, "'resolv' takes a map of options");
		return;
	}
	for (i = 0; i < v->map.count; i++) {
		e = &v->map.member[i];
		o = find_option(e->key);
		if (o->name) {
			if (!diag_spares(m->diag, e->value) &&
			    (e->value->type != VALUE_INT || e->value->i < o->min ||
			     e->value->i > o->max))
				diag_add(m->diag, e->value->pos, NULL,
					 "'%s' takes a number from %d to %d", e->key,
					 o->min, o->max);
			continue;
		}
		suggest_init(&s, e->key);
		for (o = resolv_options; o->name; o++)
			suggest_offer(&s, o->name);
		diag_add(m->diag, e->pos, suggest_hint(suggest_best(&s)),
			 "'resolv' has no option '%s'", e->key);
	}
}

void etc_check_resolv(const struct value *v, int hosts, struct diagnostics *diag)
{
	struct etc_files_making m = {.diag = diag, .hosts = hosts};

	resolv_check(&m, v);
}

/* A value that was a reference during the check is checked again here. */
static int make_file(void (*fn)(struct etc_files_making *m, const struct value *v), const struct value *v,
		     const char *before, char **out, struct vbm_error *err)
{
	struct diagnostics diag auto_diagnostics = {0};
	struct etc_files_making m = {.diag = &diag};
	char *text = NULL;
	size_t n;

	m.out = open_memstream(&text, &n);
	if (!m.out)
		abort();
	fputs(before, m.out);
	if (v)
		fn(&m, v);
	fclose(m.out);
	if (!diag.said) {
		*out = text;
		return 0;
	}
	free(text);
	return diagnostics_fail(&diag, err);
}

int etc_hosts(const struct value *hosts, const char *host, char **out, struct vbm_error *err)
{
	if (hosts && hosts->type == VALUE_MAP)
		hosts = value_get(hosts, host);
	return make_file(hosts_list, hosts, "127.0.0.1\tlocalhost\n::1\tlocalhost\n", out, err);
}

int etc_services(const struct value *services, char **out, struct vbm_error *err)
{
	return make_file(services_make, services, "", out, err);
}

int etc_resolv(const struct value *resolv, const char *server, char **out,
	       struct vbm_error *err)
{
	auto_free char *line = server ? xasprintf("nameserver %s\n", server) : xstrdup("");
	const struct resolv_option *o;
	char *more;

	for (o = resolv_options; o->name; o++) {
		more = xasprintf("%soptions %s:%" PRId64 "\n", line, o->name,
				 value_get_int(resolv, o->name, o->fallback));
		free(line);
		line = more;
	}
	return make_file(resolv_check, resolv, line, out, err);
}
