/* SPDX-License-Identifier: BSD-2-Clause */
#include "program/host-env.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/search-path.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/kinds.h"
#include "event/read.h"
#include "names/host.h"

#define PREFIX "VERBATIM_"

static void set_upper(struct value *env, const char *name, const char *host, const char *text)
{
	auto_free char *key = xasprintf("%s_%s", name, host);
	char *p;

	for (p = key; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	value_set_string(env, key, text);
}

static void set_number(struct value *env, const char *name, int n)
{
	auto_free char *text = xasprintf("%d", n);

	value_set_string(env, name, text);
}

static void set_own(struct value *env, const struct host_info *self)
{
	value_set_string(env, PREFIX "HOST", self->name);
	value_set_string(env, PREFIX "DEV", self->dev);
	if (self->dev2[0])
		value_set_string(env, PREFIX "DEV2", self->dev2);
	value_set_string(env, PREFIX "NETDEV", self->netdev);
	value_set_string(env, PREFIX "IP", self->ip4);
	value_set_string(env, PREFIX "IP6", self->ip6);
	set_number(env, PREFIX "FACTOR", clock_factor());
	set_number(env, PREFIX "PORT", self->port);
	set_number(env, PREFIX "GID_INDEX", self->gid_index4);
	set_number(env, PREFIX "GID_INDEX6", self->gid_index6);
}

/*
 * VERBATIM_ variables of the job are left out, because they must describe this fabric. The
 * user's wish which variables verbatim-rsh sends stays.
 */
static bool is_allowed(const char *name)
{
	return !strchr(name, '=') &&
	       (strncmp(name, PREFIX, strlen(PREFIX)) != 0 || strcmp(name, PREFIX "SEND_ENV") == 0);
}

static void set_texts(struct value *env, const struct value *from)
{
	const struct value_member *m;
	size_t i;

	for (i = 0; from && i < from->map.count; i++) {
		m = &from->map.member[i];
		if (is_allowed(m->key))
			value_set_string(env, m->key, m->value->s);
	}
}

static void set_bytes(struct value *env, const struct value *from)
{
	size_t i;

	for (i = 0; from && i < from->list.count; i++) {
		auto_free char *text = json_bytes_read(from->list.item[i]);
		char *eq = text ? strchr(text, '=') : NULL;

		if (!eq)
			continue;
		*eq = '\0';
		if (is_allowed(text))
			value_set_string(env, text, eq + 1);
	}
}

/* By these variables the mpirun of Open MPI 4, of Open MPI 5 and of MPICH start processes with @program. */
static void set_launchers(struct value *env, const char *program)
{
	static const char *const names[] = {"OMPI_MCA_plm_rsh_agent", "PRTE_MCA_plm_ssh_agent",
					    "HYDRA_LAUNCHER_EXEC"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!value_get(env, names[i]))
			value_set_string(env, names[i], program);
}

/* The folder with the programs ssh and rsh that lead to hosts comes first. */
static void set_path(struct value *env, const struct value *job)
{
	auto_free char *folder = event_member(job, "host_programs") ? event_bytes(job, "host_programs") : NULL;
	auto_free char *path = NULL;

	if (!folder)
		return;
	path = xasprintf("%s:%s", folder, value_get_string(env, "PATH", SEARCH_PATH_DEFAULT));
	value_set_string(env, "PATH", path);
}

/* Programs of the host start programs on other hosts with verbatim-rsh. */
static void set_rsh(struct value *env, const struct value *job)
{
	auto_free char *program = NULL;
	const char *socket;

	/* A run of scenarios has no verbatim-rsh. */
	if (!event_member(job, "rsh"))
		return;
	program = event_bytes(job, "rsh");
	socket = event_string_or(job, "rsh_socket", NULL);
	if (!program || !socket)
		return;
	set_launchers(env, program);
	set_path(env, job);
	value_set_string(env, PREFIX "RSH", program);
	value_set_string(env, PREFIX "RSH_SOCKET", socket);
}

char **host_env(const struct host_info *hosts, size_t count, size_t self,
		const struct value *job, const struct value *found)
{
	auto_value struct value *map = value_map();
	char **env;
	size_t i;

	set_texts(map, event_texts(job, "env"));
	set_bytes(map, event_bytes_list(job, "env_bytes"));
	set_own(map, &hosts[self]);
	set_rsh(map, job);
	for (i = 0; i < count; i++) {
		set_upper(map, PREFIX "IP", hosts[i].name, hosts[i].ip4);
		set_upper(map, PREFIX "IP6", hosts[i].name, hosts[i].ip6);
	}
	for (i = 0; found && i < found->map.count; i++)
		set_upper(map, PREFIX "READY", found->map.member[i].key, found->map.member[i].value->s);
	env = xcalloc(map->map.count + 1, sizeof(*env));
	for (i = 0; i < map->map.count; i++)
		env[i] = xasprintf("%s=%s", map->map.member[i].key, map->map.member[i].value->s);
	return env;
}

void host_env_free(char **env)
{
	char **p;

	for (p = env; p && *p; p++)
		free(*p);
	free(env);
}

char *host_greeting(const struct host_info *h, const char *cable, const char *more)
{
	return xasprintf("host %s: %s on %s, %s, %s; 'env | grep VERBATIM' shows more, 'exit' "
			 "ends it%s%s%s%s\r\n", h->name, h->dev, h->netdev, h->ip4, h->ip6,
			 *cable ? "; its cable has " : "", cable, more ? "; " : "", more ? more : "");
}
