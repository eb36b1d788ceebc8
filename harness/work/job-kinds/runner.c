/* SPDX-License-Identifier: BSD-2-Clause */
#include "job-kinds/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/number.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "fabric/fabric.h"
#include "names/exit-status.h"
#include "job-exec/commands.h"
#include "event/read.h"
#include "event/sent.h"
#include "job-run/execute.h"
#include "machines/machine-fabric.h"
#include "job/interrupt.h"
#include "job/job-key.h"
#include "job/job.h"
#include "job/kmsg.h"
#include "lib/base/fail.h"
#include "process/line.h"
#include "job-walk/walk.h"

/* Each kind of job has a file job-NAME.c and a line here. */
static const struct job_kind *const kinds[] = {
	&job_exec,
	&job_run,
	&job_shell,
	&job_walk,
};

/* All scenarios are 150 KB; an environment is 2 MiB at most, six times that in JSON. */
#define JOB_LINE_MAX (64 << 20)

static void say_hello(struct emitter *e)
{
	struct value *event = emit_new(e, "hello");
	struct utsname u;

	uname(&u);
	value_set_string(event, "version", PACKAGE_VERSION);
	value_set_string(event, "kernel", u.release);
	value_set_int(event, "page_size", sysconf(_SC_PAGESIZE));
	emit_take(e, event);
}

/* Reads the first line, the job. Its kind reads the lines after it. */
static struct value *read_job(struct line_reader *in, struct vbm_error *err)
{
	const char *line;
	size_t len;
	int rc = line_read(in, &line, &len, -1);

	if (rc == 1)
		return json_read(line, len, err);
	if (rc == -EMSGSIZE)
		vbm_fail(err, EMSGSIZE, "the job is longer than %d bytes", JOB_LINE_MAX);
	else
		vbm_fail(err, EPIPE, "the front end sent no job");
	return NULL;
}

static const struct job_kind *find_kind(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i]->name, name) == 0)
			return kinds[i];
	return NULL;
}

static void tell_layout(struct job *job)
{
	struct value *event = emit_new(job->emit, "layout");

	value_set_string(event, "layout", layout_name(job->layout));
	emit_take(job->emit, event);
}

/* The kernels of this run have the files of its target, and not those from which a station reads a version. */
static const char *rdma_core_of(const struct job *job, const struct described *said)
{
	return machines_have_kernels(job->trial) ? event_string(job->spec, "rdma_core") : said->rdma_core;
}

/* Before it is done. */
static void tell_configures(const char *host, const char *line, void *arg)
{
	struct job *job = arg;
	struct value *event = emit_new(job->emit, "configures");

	value_set_string(event, "host", host);
	value_set_string(event, "text", line);
	emit_take(job->emit, event);
}

static void tell_machine(struct job *job, int i)
{
	const struct host_info *info = fabric_host(job->trial, i);
	struct described said = machines_described(job->trial, i);
	struct value *event = emit_new(job->emit, "machine");

	value_set_string(event, "host", info->name);
	value_set_string(event, "nodename", said.nodename);
	value_set_string(event, "dev", info->dev);
	value_set_string(event, "netdev", info->netdev);
	value_set_string(event, "driver", said.driver);
	value_set_string(event, "firmware", said.firmware);
	value_set_string(event, "ip4", info->ip4);
	value_set_string(event, "ip6", info->ip6);
	value_set_string(event, "kernel", said.kernel);
	value_set_string(event, "rdma_core", rdma_core_of(job, &said));
	value_set_int(event, "mtu", said.mtu);
	value_set_bool(event, "copied", said.copied);
	if (said.swept && said.swept->type == VALUE_LIST && said.swept->list.count)
		value_set(event, "put_back", value_dup(said.swept));
	emit_take(job->emit, event);
}

/* The lines to the stations of kernels that this run has started; *@has is false if there are none. */
static int read_stations(int fd[FABRIC_HOSTS_MAX], size_t machines, bool *has, struct vbm_error *err)
{
	const char *text = getenv(STATIONS_VARIABLE);
	int64_t number;
	size_t i, len;

	*has = text;
	for (i = 0; text && i < machines && i < FABRIC_HOSTS_MAX; i++) {
		len = strcspn(text, ",");
		if (!number_part(text, len, 0, INT_MAX, &number))
			return vbm_fail(err, EPROTO, STATIONS_VARIABLE " has no descriptor for each host");
		fd[i] = (int)number;
		fcntl(fd[i], F_SETFD, FD_CLOEXEC);
		text += len + (text[len] == ',');
	}
	return 0;
}

/* Connects to the machines of --hosts, and describes them. */
static int settle_machines(struct job *job, struct vbm_error *err)
{
	const struct value *machines = event_maps(job->spec, "machines");
	int stations[FABRIC_HOSTS_MAX];
	bool has;
	int i, rc = read_stations(stations, machines->list.count, &has, err);

	if (rc == 0)
		rc = machines_fabric(&job->trial, &(struct machines_options){
			.machines = machines,
			.stations = has ? stations : NULL,
			.factor = (int)event_integer(job->spec, "factor"),
			.may_disturb = event_flag_or(job->spec, "may_disturb", false),
			.may_configure = event_flag_or(job->spec, "may_configure", false),
			.tell = tell_configures,
			.arg = job,
		}, err);
	if (rc < 0)
		return rc;
	job->layout = LAYOUT_MACHINES;
	tell_layout(job);
	for (i = 0; i < fabric_host_count(job->trial); i++)
		tell_machine(job, i);
	return 0;
}

static int settle_layout(struct job *job, struct vbm_error *err)
{
	const char *name = event_string(job->spec, "layout");
	int rc;

	if (event_has(job->spec, "machines"))
		return settle_machines(job, err);
	rc = layout_parse(name, &job->layout);
	if (rc < 0)
		return vbm_fail(err, EINVAL, "no layout is called '%s'", name);
	job->any_layout = job->layout == LAYOUT_AUTO;
	if (job->any_layout) {
		rc = fabric_probe_layout(&job->devices, &job->layout, &job->trial, err);
		if (rc < 0)
			return rc;
	}
	tell_layout(job);
	return 0;
}

static int settle_device(struct job *job, struct vbm_error *err)
{
	const char *name = event_string_or(job->spec, "device", NULL);

	return name ? device_words_read(&job->devices, name, err) : 0;
}

static int do_job(struct job *job, struct vbm_error *err)
{
	const char *name = event_string(job->spec, "job");
	const struct job_kind *kind = find_kind(name);
	int rc;

	if (!kind)
		return vbm_fail(err, EPROTO, "no job is called '%s'", name);
	job->cable = event_has(job->spec, "cable") ? event_maps(job->spec, "cable") : NULL;
	clock_set_factor((int)event_integer(job->spec, "factor"));
	job->kmsg_fd = event_has(job->spec, "machines") ? -1 : kmsg_open(NULL);
	rc = settle_device(job, err);
	if (rc == 0)
		rc = settle_layout(job, err);
	if (rc == 0)
		rc = kind->run(job, err);
	fabric_free(job->trial);
	if (job->kmsg_fd >= 0)
		close(job->kmsg_fd);
	return rc;
}

int runner_main(int in_fd, int out_fd)
{
	struct line_reader in = {
		.fd = in_fd,
		.in = {.max = JOB_LINE_MAX, .secret = true},
		.stop = interrupt_flag(),
	};
	auto_value struct value *spec = NULL;
	struct vbm_error err = {0};
	struct emitter emit;
	struct job job = {.emit = &emit, .in = &in};
	int rc;

	interrupt_catch();
	emit_init(&emit, out_fd);
	say_hello(&emit);
	job.spec = spec = read_job(&in, &err);
	job.key = emit.key = spec ? job_key_keep(spec) : NULL;
	rc = spec ? sent_check_job(spec, &err) : -EPROTO;
	if (rc == 0)
		rc = do_job(&job, &err);
	if (rc < 0 && !interrupt_came() && !job.lost)
		emit_error(&emit, -rc, err.msg);
	if (!interrupt_came() && !job.lost)
		emit_end(&emit, job.broken);
	line_reader_fini(&in);
	return rc < 0 ? EXIT_NO_FABRIC : EXIT_OK;
}

int runner_program(const char *number)
{
	int fd = (int)strtol(number, NULL, 10);

	prctl(PR_SET_NAME, RUNNER_PROGRAM);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return runner_main(fd, fd);
}
