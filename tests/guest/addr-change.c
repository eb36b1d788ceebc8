/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * addr-change DEVICE ADDRESS COMMAND...: bind an rdma_cm_id to ADDRESS, which is
 * about to be one of DEVICE's, run COMMAND, and say which event comes of it. A bond's failover makes RDMA_CM_EVENT_ADDR_CHANGE,
 * see addr-change.test.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rdma/rdma_cma.h>

#define WAIT_MS 20000	/* for one event */

static int fail(const char *what)
{
	fprintf(stderr, "addr-change: %s: %s\n", what, strerror(errno));
	return 1;
}

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;
	int i;

	for (i = 0; list && list[i] && !context; i++)
		if (strcmp(ibv_get_device_name(list[i]), name) == 0)
			context = ibv_open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	return context;
}

/* An address becomes a GID in the background, and an event tells when. */
static bool bind_id(struct rdma_cm_id *id, struct ibv_context *context, struct sockaddr *address)
{
	struct pollfd p = {.fd = context->async_fd, .events = POLLIN};
	struct ibv_async_event event;

	while (rdma_bind_addr(id, address) < 0) {
		if (poll(&p, 1, WAIT_MS) != 1 || ibv_get_async_event(context, &event))
			return false;
		ibv_ack_async_event(&event);
	}
	return true;
}

static bool run(char **command)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		execvp(command[0], command);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static int tell(struct rdma_event_channel *channel, const struct rdma_cm_id *id)
{
	struct pollfd p = {.fd = channel->fd, .events = POLLIN};
	struct rdma_cm_event *event;

	if (poll(&p, 1, WAIT_MS) != 1) {
		printf("no event\n");
		return 1;
	}
	if (rdma_get_cm_event(channel, &event) < 0)
		return fail("rdma_get_cm_event");
	printf("%s, status %d, %s identifier\n", rdma_event_str(event->event), event->status,
	       event->id == id ? "the" : "another");
	return rdma_ack_cm_event(event) < 0 ? fail("rdma_ack_cm_event") : 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	struct rdma_event_channel *channel;
	struct ibv_context *context;
	struct rdma_cm_id *id;
	int ret;

	if (argc < 4 || inet_pton(AF_INET, argv[2], &address.sin_addr) != 1) {
		fprintf(stderr, "Usage: %s DEVICE ADDRESS COMMAND...\n", argv[0]);
		return 2;
	}
	context = open_device(argv[1]);
	if (!context)
		return fail(argv[1]);
	channel = rdma_create_event_channel();
	if (!channel)
		return fail("rdma_create_event_channel");
	if (rdma_create_id(channel, &id, NULL, RDMA_PS_TCP) < 0)
		return fail("rdma_create_id");
	if (!bind_id(id, context, (struct sockaddr *)&address))
		return fail("rdma_bind_addr");
	ret = run(argv + 3) ? tell(channel, id) : fail(argv[3]);
	rdma_destroy_id(id);
	rdma_destroy_event_channel(channel);
	ibv_close_device(context);
	return ret;
}
