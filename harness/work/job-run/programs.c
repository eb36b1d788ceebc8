/* SPDX-License-Identifier: BSD-2-Clause */
#include "job-run/programs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/search-path.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "fabric/fabric.h"
#include "job/fabric-pool.h"
#include "lib/base/fail.h"
#include "plan/plan.h"
#include "program/host-env.h"
#include "program/program.h"

#define LAST_WORDS_MS 1000

struct programs {
	struct program_home home[FABRIC_HOSTS_MAX];	/* their environments are owned */
	int hosts;
	struct process_ns ns;	/* owned */
	int collectors;		/* owned; reaches end of file when no collector works any more */
	char *cwd;		/* owned; the folder at which paths of the plan begin */
};

static int open_token(struct programs *p, int *token, struct vbm_error *err)
{
	int pair[2];

	if (pipe2(pair, O_CLOEXEC) < 0)
		return vbm_fail(err, errno, "cannot make a pipe: %s", strerror(errno));
	p->collectors = pair[0];
	*token = pair[1];
	return 0;
}

int programs_open(struct programs **out, const struct fabric *fabric, const struct value *spec,
		  struct vbm_error *err)
{
	struct programs *p = xcalloc(1, sizeof(*p));
	struct host_info hosts[FABRIC_HOSTS_MAX];
	int i, token = -1, ret;

	p->ns = PROCESS_NS_CLOSED;
	p->collectors = -1;
	p->hosts = fabric_host_count(fabric);
	p->cwd = event_bytes(spec, "cwd");
	for (i = 0; i < p->hosts; i++)
		hosts[i] = *fabric_host(fabric, i);
	ret = open_token(p, &token, err);
	if (ret == 0)
		ret = process_ns_open(&p->ns, err);
	for (i = 0; i < p->hosts; i++)
		p->home[i] = (struct program_home){
			.ns = p->ns,
			.envp = host_env(hosts, (size_t)p->hosts, (size_t)i, spec, NULL),
			.token_fd = token,
		};
	if (ret == 0)
		*out = p;
	else
		programs_close(p);
	return ret;
}

const struct program_home *programs_of(const struct programs *p, int host)
{
	return p ? &p->home[host] : NULL;
}

bool programs_have(const struct value *spec, const char *name)
{
	const char *folder = getenv(PROGRAM_ROOT_VARIABLE);
	auto_close int root = open(folder ? folder : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	return root >= 0 && search_path_has(root, value_get_string(event_texts(spec, "env"), "PATH",
								   SEARCH_PATH_DEFAULT), name);
}

/* The folder of "DIR/FILE", which begins at @base. */
static char *folder_of(const char *base, const char *file)
{
	auto_free char *dir = NULL;
	const char *slash;

	while (!strncmp(file, "./", 2))
		file += 2;
	slash = strrchr(file, '/');
	dir = xstrndup(file, slash ? (size_t)(slash - file) : 0);
	if (*file == '/')
		return xstrdup(*dir ? dir : "/");
	return *dir ? xasprintf("%s/%s", base, dir) : xstrdup(base);
}

void programs_set_folder(const struct programs *p, const struct variant *v,
			 const struct item *item, struct value *args)
{
	const char *file = item->origin.fragment ? item->origin.fragment : v->path;
	auto_free char *folder = folder_of(p && p->cwd ? p->cwd : "/", file);
	auto_free char *own = xstrdup(value_get_string(args, "cwd", ""));

	if (*own == '/')
		return;
	value_set(args, "cwd", *own ? value_format_string("%s/%s", folder, own) :
				      value_string(folder));
}

/* Each collector ends after its agent, and needs only the time of a last read. */
static void await_collectors(struct programs *p)
{
	struct pollfd wait = {.fd = p->collectors, .events = POLLIN};

	if (p->hosts && p->home[0].token_fd >= 0)
		close(p->home[0].token_fd);
	while (p->collectors >= 0 && poll(&wait, 1, clock_left_ms(clock_deadline_ms(LAST_WORDS_MS))) < 0 &&
	       errno == EINTR)
		;
	if (p->collectors >= 0)
		close(p->collectors);
}

void programs_close(struct programs *p)
{
	int i;

	if (!p)
		return;
	await_collectors(p);
	process_ns_close(&p->ns);
	for (i = 0; i < p->hosts; i++)
		host_env_free(p->home[i].envp);
	free(p->cwd);
	free(p);
}
