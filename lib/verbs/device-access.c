/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/verbs/verbs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/fail.h"

#define NODE_PATH (IBV_SYSFS_NAME_MAX + 256)	/* a folder and the name of a node */

static bool is_denial(int error)
{
	return error == EACCES || error == EPERM;
}

/* 0 if @error says nothing of memory and descriptors; else a code that the page has for the list. */
static int shortage_code(int error)
{
	if (error == ENOBUFS)
		return ENOMEM;
	return is_shortage(error) ? error : 0;
}

int vbm_verbs_list_error(const char *sys, int error)
{
	int fd, code = shortage_code(error);

	if (code)
		return code;
	if (is_denial(error))
		return EPERM;
	fd = open(sys, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		/* The kernel supports RDMA and lets us read its list, so it is memory that lacks. */
		close(fd);
		return ENOMEM;
	}
	if (is_denial(errno))
		return EPERM;
	code = shortage_code(errno);
	return code ? code : ENOSYS;
}

/* 0 if the caller may open the device node @name in the folder @dev, else errno. */
static int try_node(const char *dev, const char *name)
{
	char path[NODE_PATH];

	snprintf(path, sizeof(path), "%s/%s", dev, name);
	return faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) == 0 ? 0 : errno;
}

static bool is_listed(struct ibv_device **list, const char *name)
{
	while (*list && strcmp((*list)->dev_name, name) != 0)
		list++;
	return *list;
}

/*
 * libibverbs leaves out devices whose nodes it cannot see, and devices for which memory or
 * descriptors ran out. The kernel's list names all of them, beside a regular file.
 */
int vbm_verbs_access(const char *sys, const char *dev, struct ibv_device **list, int error, bool *whole)
{
	bool denied = false, usable = false;
	const struct dirent *entry;
	struct ibv_device **d;
	DIR *folder;
	int ret;

	*whole = true;
	folder = opendir(sys);
	if (!folder)
		return shortage_code(errno);
	while ((entry = readdir(folder))) {
		if (entry->d_type == DT_REG || entry->d_name[0] == '.')
			continue;
		ret = try_node(dev, entry->d_name);
		if (is_denial(ret))
			denied = true;
		else if (!ret && !is_listed(list, entry->d_name))
			*whole = false;
	}
	closedir(folder);
	for (d = list; *d && !usable; d++)
		usable = !is_denial(try_node(dev, (*d)->dev_name));
	if (denied && !usable)
		return EPERM;
	return *whole ? 0 : shortage_code(error);
}

int vbm_verbs_open_error(const char *dev, const char *name, int error)
{
	char path[NODE_PATH];
	int fd;

	if (error != ENOENT)
		return error;
	snprintf(path, sizeof(path), "%s/%s", dev, name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return errno;
	close(fd);
	return error;
}

/*
 * The first descriptor belongs to a device node. Another file may have its number by now. A device that
 * needs no descriptor has a negative number.
 */
bool vbm_verbs_is_open(const struct ibv_context *context)
{
	struct stat st;

	if (context->cmd_fd >= 0 && (fstat(context->cmd_fd, &st) < 0 || !S_ISCHR(st.st_mode)))
		return false;
	return context->async_fd < 0 || fcntl(context->async_fd, F_GETFD) >= 0;
}
