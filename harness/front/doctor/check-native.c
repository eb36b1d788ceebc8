/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "doctor/doctor.h"
#include "fabric/fabric.h"
#include "names/device-types.h"
#include "net/nl.h"
#include "net/rdma-driver.h"

#define MEMORY_WANTED (64ull << 20)	/* the largest amount that a scenario registers */

static bool has_capability(uint64_t capabilities, int bit)
{
	return capabilities >> bit & 1;
}

static uint64_t own_capabilities(void)
{
	auto_free char *text = NULL;
	const char *line;

	if (file_read("/proc/self/status", &text, NULL, NULL) < 0)
		return geteuid() == 0 ? UINT64_MAX : 0;
	line = strstr(text, "\nCapEff:");
	return line ? strtoull(line + 8, NULL, 16) : 0;
}

void doctor_judge_privileges(uint64_t capabilities, bool root, struct doctor_finding *finding)
{
	bool net = has_capability(capabilities, CAPABILITY_NET_ADMIN);
	bool sys = has_capability(capabilities, CAPABILITY_SYS_ADMIN);

	if (net && sys)
		doctor_found(finding, DOCTOR_OK, NULL,
			     "this user may make namespaces, interfaces and RDMA devices");
	else if (root)
		doctor_found(finding, DOCTOR_FAIL, NULL,
			     "this is root, but without %s%s%s: start the container "
			     "with --privileged, or with --cap-add for the missing "
			     "capabilities",
			     net ? "" : "CAP_NET_ADMIN", net || sys ? "" : " and ",
			     sys ? "" : "CAP_SYS_ADMIN");
	else
		doctor_found(finding, DOCTOR_FAIL, "sudo verbatim run --lane native",
			     "namespaces, interfaces and RDMA devices need root");
}

void check_root(struct doctor *doctor, struct doctor_finding *finding)
{
	(void)doctor;
	doctor_judge_privileges(own_capabilities(), geteuid() == 0, finding);
}

void doctor_judge_rxe(bool loaded, bool installed, const char *release, const char *system,
	       struct doctor_finding *finding)
{
	char fix[256];

	if (loaded) {
		doctor_found(finding, DOCTOR_OK, NULL, "kernel %s has rdma_rxe", release);
	} else if (installed) {
		doctor_found(finding, DOCTOR_FAIL, "sudo modprobe rdma_rxe",
			     "kernel %s has the module rdma_rxe, but it is not loaded",
			     release);
	} else if (!strcmp(system, "ubuntu")) {
		snprintf(fix, sizeof(fix),
			 "sudo apt-get install linux-modules-extra-%s && sudo modprobe rdma_rxe",
			 release);
		doctor_found(finding, DOCTOR_FAIL, fix,
			     "kernel %s has no rdma_rxe; Ubuntu keeps it in a package of "
			     "its own",
			     release);
	} else {
		doctor_found(finding, DOCTOR_FAIL, NULL,
			     "kernel %s has no rdma_rxe, or its modules are not "
			     "installed: use the guest lane",
			     release);
	}
}

static bool module_installed(const char *release, const char *file)
{
	auto_free char *path = xasprintf("/lib/modules/%s/modules.dep", release), *text = NULL;

	return file_read(path, &text, NULL, NULL) == 0 && strstr(text, file);
}

static void read_system(char id[32])
{
	auto_free char *text = NULL;
	const char *line;

	strcpy(id, "");
	if (file_read("/etc/os-release", &text, NULL, NULL) < 0)
		return;
	line = !strncmp(text, "ID=", 3) ? text : strstr(text, "\nID=");
	if (line)
		sscanf(strchr(line, '=') + 1, "%*[\"']%31[a-z]", id);
	if (line && !id[0])
		sscanf(strchr(line, '=') + 1, "%31[a-z]", id);
}

void check_rxe(struct doctor *doctor, struct doctor_finding *finding)
{
	struct utsname u;
	char system[32];

	(void)doctor;
	uname(&u);
	read_system(system);
	doctor_judge_rxe(rdma_driver_is_there(device_type_default()),
		  module_installed(u.release, "/rdma_rxe.ko"), u.release, system, finding);
}

static bool is_exclusive(void)
{
	bool shared = true;
	struct netlink *nl;

	if (netlink_open(&nl, -1, NULL) == 0) {
		netlink_rdma_shared(nl, &shared, NULL);
		netlink_close(nl);
	}
	return !shared;
}

/* Makes a fabric, because that is the only sure test. */
void check_fabric(struct doctor *doctor, struct doctor_finding *finding)
{
	const struct fabric_options opts = {.hosts = 2};
	int64_t start = clock_now_ns();
	struct fabric *fabric;
	struct vbm_error err;

	if (!doctor_may_try(doctor, DOCTOR_NATIVE, "tried", finding))
		return;
	if (fabric_new(&fabric, &opts, &err) < 0) {
		doctor_found(finding, DOCTOR_FAIL, NULL, "two hosts cannot be made: %s",
			     err.msg);
		return;
	}
	doctor_found(finding, DOCTOR_OK, NULL,
		     "two hosts were ready in %d ms, in the layout '%s'",
		     (int)((clock_now_ns() - start) / 1000000),
		     layout_name(fabric_layout(fabric)));
	if (is_exclusive())
		doctor_found(finding, DOCTOR_WARN, "sudo rdma system set netns shared",
			     "two hosts can be made, but only in the layout 'shared': "
			     "the RDMA subsystem is in "
			     "exclusive mode");
	fabric_free(fabric);
}

struct other_devices {
	char names[256];
	int count;
};

static void note_other_device(const struct rdma_dev *dev, void *arg)
{
	struct other_devices *s = arg;
	size_t n = strlen(s->names);

	if (fabric_run_of_rdma(dev->name) >= 0)
		return;
	snprintf(s->names + n, sizeof(s->names) - n, "%s%s", s->count++ ? ", " : "", dev->name);
}

void check_devices(struct doctor *doctor, struct doctor_finding *finding)
{
	struct other_devices s = {.count = 0};
	struct netlink *nl;
	struct vbm_error err;
	int ret;

	(void)doctor;
	ret = netlink_open(&nl, -1, &err);
	if (ret == 0) {
		ret = netlink_rdma_each(nl, note_other_device, &s, &err);
		netlink_close(nl);
	}
	if (ret == -EPROTONOSUPPORT)
		doctor_found(finding, DOCTOR_SKIP, NULL,
			     "this kernel has no RDMA, so it has no RDMA devices");
	else if (ret < 0)
		doctor_found(finding, DOCTOR_SKIP, NULL,
			     "cannot list RDMA devices: %.200s", err.msg);
	else if (s.count)
		doctor_found(finding, DOCTOR_WARN, NULL,
			     "this machine has other RDMA devices (%s): programs that "
			     "take the first device or listen on all addresses with "
			     "rdma_cm will use them, too; name devices and addresses, "
			     "or use the guest lane",
			     s.names);
	else
		doctor_found(
			finding, DOCTOR_OK, NULL,
			"no other RDMA devices that programs could confuse with ours");
}

void doctor_judge_memory(uint64_t limit, uint64_t capabilities, struct doctor_finding *finding)
{
	if (has_capability(capabilities, CAPABILITY_IPC_LOCK))
		doctor_found(finding, DOCTOR_OK, NULL,
			     "there is no limit, because of CAP_IPC_LOCK");
	else if (limit >= MEMORY_WANTED)
		doctor_found(finding, DOCTOR_OK, NULL, "at least %llu MiB may be locked",
			     MEMORY_WANTED >> 20);
	else
		doctor_found(
			finding, DOCTOR_WARN, "sudo prlimit --memlock=unlimited --pid $$",
			"only %" PRIu64
			" KiB may be locked: large memory regions will fail with ENOMEM",
			limit >> 10);
}

void check_memory(struct doctor *doctor, struct doctor_finding *finding)
{
	struct rlimit limit = {0};

	(void)doctor;
	getrlimit(RLIMIT_MEMLOCK, &limit);
	doctor_judge_memory(limit.rlim_cur, own_capabilities(), finding);
}

void check_leftovers(struct doctor *doctor, struct doctor_finding *finding)
{
	struct vbm_error err;
	int count;

	(void)doctor;
	count = fabric_sweep(true, NULL, NULL, &err);
	if (count < 0)
		doctor_found(finding, DOCTOR_SKIP, NULL, "cannot look for leftovers: %.400s",
			     err.msg);
	else if (count > 0)
		doctor_found(finding, DOCTOR_WARN, "sudo verbatim doctor --sweep",
			     "killed runs left %d object%s behind; the next run also "
			     "removes them",
			     count, count == 1 ? "" : "s");
	else
		doctor_found(finding, DOCTOR_OK, NULL,
			     "no killed run left anything behind");
}
