/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "call/step-util.h"
#include "fabric/host-devices.h"
#include "names/host.h"

/*
 * Changes of the rights of a process, and of the files that it sees. A process
 * cannot go back, so a scenario uses an additional process for them (a.1).
 */

#define NOBODY 65534

/* The groups must go before the user, because afterwards the process may not change them. */
STEP(run_drop_privileges)
{
	uid_t user = (uid_t)value_get_int(args, "user", NOBODY);

	if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0)
		return vbm_fail(err, errno, "cannot leave the groups: %s", strerror(errno));
	errno = 0;
	put_minus1(result, setresuid(user, user, user));
	return 0;
}

/* Gives the process its own mounts. */
static int own_mounts(struct vbm_error *err)
{
	if (unshare(CLONE_NEWNS) < 0 || mount("", "/", NULL, MS_SLAVE | MS_REC, NULL) < 0)
		return vbm_fail(err, errno, "cannot give the process its own mounts: %s", strerror(errno));
	return 0;
}

STEP(run_hide_folder)
{
	auto_free char *mode = xasprintf("mode=%o", (unsigned)value_get_int(args, "mode", 0755));

	if (own_mounts(err) < 0)
		return -err->code;
	errno = 0;
	put_minus1(result, mount("tmpfs", value_get_string(args, "path", ""), "tmpfs", 0, mode));
	return 0;
}

/* Mounts an empty folder over @path, with the devices of @folder, which was there before. */
static int replace_nodes(DIR *folder, const char *path, mode_t mode)
{
	const struct dirent *entry;
	struct stat st;
	int at, ret = -1;

	if (mount("tmpfs", path, "tmpfs", 0, "mode=755") < 0)
		return -1;
	at = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	while (at >= 0 && (entry = readdir(folder))) {
		if (fstatat(dirfd(folder), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISCHR(st.st_mode))
			continue;
		ret = mknodat(at, entry->d_name, S_IFCHR, st.st_rdev);
		if (ret == 0)
			ret = fchmodat(at, entry->d_name, mode, 0);
		if (ret < 0)
			break;
	}
	if (at >= 0)
		close(at);
	return ret;
}

STEP(run_forbid_devices)
{
	const char *path = value_get_string(args, "path", "");
	int64_t mode = value_get_int(args, "mode", -1);
	auto_dir DIR *folder = opendir(path);

	if (!folder)
		return vbm_fail(err, errno, "cannot read %s: %s", path, strerror(errno));
	if (own_mounts(err) < 0)
		return -err->code;
	if (mode >= 0) {
		errno = 0;
		put_minus1(result, replace_nodes(folder, path, (mode_t)mode));
		return 0;
	}
	if (mount(path, path, NULL, MS_BIND, NULL) < 0)
		return vbm_fail(err, errno, "cannot mount over %s: %s", path, strerror(errno));
	errno = 0;
	put_minus1(result, mount(NULL, path, NULL, MS_REMOUNT | MS_BIND | MS_NODEV, NULL));
	return 0;
}

STEP(run_see_all_devices)
{
	if (host_devices_see_all(err) < 0)
		return -err->code;
	value_set_int(result, "return", 0);
	return 0;
}

/* The socket stays open, and the host stays in the group, until the process ends. */
STEP(run_join_group)
{
	struct group_req req = {.gr_interface = if_nametoindex(ctx->host->netdev)};
	bool v4;
	int fd;

	if (step_address_parse(&req.gr_group, value_get_string(args, "group", ""), 0, err) < 0)
		return -err->code;
	v4 = req.gr_group.ss_family == AF_INET;
	fd = socket(req.gr_group.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return vbm_fail(err, errno, "cannot make a socket: %s", strerror(errno));
	errno = 0;
	put_minus1(result, setsockopt(fd, v4 ? IPPROTO_IP : IPPROTO_IPV6, MCAST_JOIN_GROUP, &req,
				      sizeof(req)));
	return 0;
}

static char *sysfs_path(const struct step_ctx *ctx, const struct value *args)
{
	return xasprintf("/sys/class/infiniband/%s/%s", ctx->host->dev,
			 value_get_string(args, "file", ""));
}

/* Reads the first line of a file, as text and as the number at its start. */
STEP(run_read_sysfs)
{
	auto_free char *path = sysfs_path(ctx, args);
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned long long number;
	char text[256], *end;
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n < 0)
		return vbm_fail(err, errno, "cannot read %s: %s", path, strerror(errno));
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	value_set_int(result, "return", 0);
	value_set_string(result, "text", text);
	errno = 0;
	number = strtoull(text, &end, 0);
	if (!errno && end != text && (!*end || *end == ' ' || strncmp(end, ": ", 2) == 0))
		value_set_int(result, "number", (int64_t)number);
	return 0;
}

STEP(run_write_sysfs)
{
	auto_free char *path = sysfs_path(ctx, args);
	const char *text = value_get_string(args, "text", "");
	auto_close int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return vbm_fail(err, errno, "cannot write %s: %s", path, strerror(errno));
	errno = 0;
	put_minus1(result, write(fd, text, strlen(text)) < 0 ? -1 : 0);
	return 0;
}

static const struct param drop_params[] = {
	P_INT("user", 1, NOBODY, "number of the user to become; default 65534, nobody"),
	{NULL},
};
static const struct param hide_params[] = {
	{.name = "path", .type = PARAM_STRING, .required = true, .doc = "the folder"},
	P_INT("mode", 0, 07777, "mode of the empty folder that replaces it; default 0755"),
	{NULL},
};
static const struct param forbid_params[] = {
	{.name = "path", .type = PARAM_STRING, .required = true, .doc = "the folder"},
	P_INT("mode", 0, 0777, "mode of the devices, which root may open then; default: nobody may open them"),
	{NULL},
};
static const struct param join_params[] = {
	{.name = "group", .type = PARAM_ADDRESS, .required = true,
	 .doc = "the group's IP address"},
	{NULL},
};
static const struct param sysfs_params[] = {
	{.name = "file", .type = PARAM_STRING, .required = true,
	 .doc = "a file in the device's folder: node_guid, ports/1/cap_mask"},
	{NULL},
};
static const struct param write_params[] = {
	{.name = "file", .type = PARAM_STRING, .required = true,
	 .doc = "a file in the device's folder: node_desc"},
	{.name = "text", .type = PARAM_STRING, .required = true, .doc = "the text, written with one call"},
	{NULL},
};
static const struct field sysfs_fields[] = {
	F_INT("return", "always 0"),
	F_STRING("text", "its first line"),
	F_INT("number", "the number at the start of the line; absent if there is none"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "drop_privileges", .call = "setresuid(2)",
	 .doc = "Become a user without privileges; there is no way back.", .params = drop_params,
	 .fields = step_minus1_fields, .run = run_drop_privileges},
	{.name = "hide_folder", .call = "mount(2)",
	 .doc = "Replace a folder by an empty one, for this process only.", .params = hide_params,
	 .fields = step_minus1_fields, .run = run_hide_folder},
	{.name = "forbid_devices", .call = "mount(2)",
	 .doc = "From now on, this process may not open the devices in that folder.",
	 .params = forbid_params, .fields = step_minus1_fields, .run = run_forbid_devices},
	{.name = "see_all_devices", .call = "umount(2)",
	 .doc = "From now on, this process sees the devices of all hosts, not only its own host's.",
	 .fields = step_zero_fields, .other_devices = true, .run = run_see_all_devices},
	{.name = "join_group", .call = "setsockopt(2)",
	 .doc = "Join a multicast group on the host's interface, until the process ends.",
	 .params = join_params, .fields = step_minus1_fields, .run = run_join_group},
	{.name = "read_sysfs", .call = "read(2)",
	 .doc = "Read a file of the host's RDMA device in sysfs.",
	 .params = sysfs_params, .fields = sysfs_fields, .query = true, .run = run_read_sysfs},
	{.name = "write_sysfs", .call = "write(2)",
	 .doc = "Write to a file of the host's RDMA device in sysfs.", .params = write_params,
	 .fields = step_minus1_fields, .run = run_write_sysfs},
	{NULL},
};

const struct step_family family_process = {
	"process", "Rights of a process, and the files that it sees.", steps
};
