/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compiled for the harness, and into the preload library, where the functions have the names of libibverbs.
 * ibv_query_port() is not there: headers make it a call through the context, to the device's driver.
 */
#include "lib/verbs/verbs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/behind.h"
#include "lib/base/fail.h"

/* OWN: the name of a function of this file. SYSTEM: that of libibverbs, also where an object defines its name. */
#ifdef VERBS_PRELOAD
#define OWN(call) ibv_##call
#else
#define OWN(call) vbm_##call
#endif
#ifdef VERBS_BEHIND
static struct behind_library libibverbs = {.name = "libibverbs.so.1"};
#define SYSTEM(call) ((__typeof__(&ibv_##call))vbm_behind(&libibverbs, "ibv_" #call))
#else
#define SYSTEM(call) ibv_##call
#endif

#define SYS_CLASS "/sys/class/infiniband_verbs"
#define DEV_FOLDER "/dev/infiniband"
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

/* Before a call of libibverbs. Returns errno as it was. */
static int begin(void)
{
	int saved = errno;

	errno = 0;
	return saved;
}

int vbm_verbs_code(int ret)
{
	if (ret == -1)
		return errno ? errno : EIO;
	return ret < 0 ? -ret : ret;
}

void vbm_verbs_end(int saved, bool good)
{
	if (good)
		errno = saved;
	else if (!errno)
		errno = EIO;
}

/* For calls that return an errno value. */
static int end_code(int saved, int ret)
{
	ret = vbm_verbs_code(ret);
	errno = saved;
	return ret;
}

static void *end_object(int saved, void *object)
{
	vbm_verbs_end(saved, object);
	return object;
}

static void *refused(void)
{
	errno = EINVAL;
	return NULL;
}

/* One list of libibverbs, or NULL with *@error. */
static struct ibv_device **get_list(int *num, bool *whole, int *error)
{
	struct ibv_device **list;

	errno = 0;
	list = SYSTEM(get_device_list)(num);
	if (!list) {
		*error = vbm_verbs_list_error(SYS_CLASS, errno);
		return NULL;
	}
	*error = vbm_verbs_access(SYS_CLASS, DEV_FOLDER, list, errno, whole);
	if (!*error)
		return list;
	SYSTEM(free_device_list)(list);
	return NULL;
}

/*
 * When libibverbs cannot ask the kernel, for example because memory ran out at that moment, it
 * does not find the drivers of all devices. So a list that lacks a device is made once more. A
 * device that lacks again has no driver.
 */
struct ibv_device **OWN(get_device_list)(int *num_devices)
{
	int saved = errno, num = 0, error = 0;
	struct ibv_device **list;
	bool whole = true;

	list = get_list(&num, &whole, &error);
	if (list && !whole) {
		SYSTEM(free_device_list)(list);
		list = get_list(&num, &whole, &error);
	}
	if (num_devices)
		*num_devices = list ? num : 0;
	errno = list ? saved : error;
	return list;
}

void OWN(free_device_list)(struct ibv_device **list)
{
	if (list)
		SYSTEM(free_device_list)(list);
}

struct ibv_context *OWN(open_device)(struct ibv_device *device)
{
	int saved = begin();
	struct ibv_context *context = end_object(saved, device ? SYSTEM(open_device)(device) : refused());

	if (device && !context)
		errno = vbm_verbs_open_error(DEV_FOLDER, device->dev_name, errno);
	return context;
}

/* ibv_close_device() returns 0 whatever happens, so what can fail is looked at before. */
int OWN(close_device)(struct ibv_context *context)
{
	int saved, ret;

	if (!context)
		return vbm_refuse(EINVAL);
	if (!vbm_verbs_is_open(context))
		return vbm_refuse(EBADF);
	saved = begin();
	ret = SYSTEM(close_device)(context);
	vbm_verbs_end(saved, ret == 0);
	return ret == 0 ? 0 : -1;
}

int OWN(query_device)(struct ibv_context *context, struct ibv_device_attr *attr)
{
	int saved = begin();

	return end_code(saved, context && attr ? SYSTEM(query_device)(context, attr) : EINVAL);
}

int vbm_query_port(struct ibv_context *context, uint8_t port_num, struct ibv_port_attr *attr)
{
	int saved = begin();

	return end_code(saved, context && attr ? ibv_query_port(context, port_num, attr) : EINVAL);
}

/* Whether it is the caller's arguments because of which the query failed. */
static bool is_beyond_table(struct ibv_context *context, uint8_t port_num, int index)
{
	struct ibv_port_attr attr;
	int ret = vbm_query_port(context, port_num, &attr);

	return ret == EINVAL || (ret == 0 && (index < 0 || index >= attr.gid_tbl_len));
}

int OWN(query_gid)(struct ibv_context *context, uint8_t port_num, int index, union ibv_gid *gid)
{
	int saved, ret;

	if (!context || !gid)
		return vbm_refuse(EINVAL);
	saved = begin();
	ret = SYSTEM(query_gid)(context, port_num, index, gid);
	vbm_verbs_end(saved, ret == 0);
	if (ret == 0)
		return 0;
	return vbm_refuse(is_beyond_table(context, port_num, index) ? EINVAL : errno);
}

struct ibv_pd *OWN(alloc_pd)(struct ibv_context *context)
{
	int saved = begin();

	return end_object(saved, context ? SYSTEM(alloc_pd)(context) : refused());
}

int OWN(dealloc_pd)(struct ibv_pd *pd)
{
	int saved = begin();

	return end_code(saved, pd ? SYSTEM(dealloc_pd)(pd) : EINVAL);
}

struct ibv_cq *OWN(create_cq)(struct ibv_context *context, int cqe, void *cq_context,
			      struct ibv_comp_channel *channel, int comp_vector)
{
	int saved = begin();
	bool good = context && cqe >= 1 && comp_vector >= 0 && comp_vector < context->num_comp_vectors;

	return end_object(saved, good ? SYSTEM(create_cq)(context, cqe, cq_context, channel, comp_vector) :
				 refused());
}

int OWN(destroy_cq)(struct ibv_cq *cq)
{
	int saved = begin();

	return end_code(saved, cq ? SYSTEM(destroy_cq)(cq) : EINVAL);
}
