/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *   lose-one ack|rtu|datagram NETDEV COMMAND...
 *
 * Runs the command while the first such RoCE packet that reaches NETDEV is lost:
 * an acknowledgement, the last message of a connection's making, or a datagram with
 * immediate data. Ends as the command does, or with 99 when nothing was there to lose.
 */
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOTHING_LOST 99

/* Offsets in an Ethernet frame with IPv4 (no options), UDP and RoCE v2. */
#define AT_ETHERTYPE 12
#define AT_PROTOCOL 23
#define AT_PORT 36
#define AT_OPCODE 42
#define AT_ATTRIBUTE 78		/* of a message of the connection manager */

/* As a little-endian load sees them. */
#define IPV4 0x0008
#define ROCE 0xb712
#define UDP 17
#define ACKNOWLEDGE 0x11	/* of a reliable connection */
#define READY_TO_USE 0x1400
#define DATAGRAM_IMM 0x65	/* of unreliable datagrams: a message of one packet */

#define OP(code_, dst, src, off_, imm_)                                            \
	((struct bpf_insn){.code = (code_), .dst_reg = (dst), .src_reg = (src),    \
			   .off = (off_), .imm = (imm_)})
#define LOAD(size, dst, src, off) OP(BPF_LDX | BPF_MEM | (size), dst, src, off, 0)
#define COPY(dst, src) OP(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define SET(dst, imm) OP(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, imm)
#define ADD(dst, imm) OP(BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, imm)
#define UNLESS(dst, imm, off) OP(BPF_JMP | BPF_JNE | BPF_K, dst, 0, off, imm)
#define END OP(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

/* The marks of such a packet. */
static const struct kind {
	const char *name;
	int at, size, value;
} kinds[] = {
	{"ack", AT_OPCODE, BPF_B, ACKNOWLEDGE},
	{"rtu", AT_ATTRIBUTE, BPF_H, READY_TO_USE},
	{"datagram", AT_OPCODE, BPF_B, DATAGRAM_IMM},
};

static int bpf(int cmd, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

/* One number: how many of them came. */
static int make_counter(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = sizeof(uint32_t),
		.value_size = sizeof(uint64_t),
		.max_entries = 1,
	};

	return bpf(BPF_MAP_CREATE, &attr);
}

/* The jumps go to the end, where the frame may pass. */
static int load_program(const struct kind *kind, int counter)
{
	const struct bpf_insn program[] = {
		LOAD(BPF_W, 2, 1, offsetof(struct xdp_md, data)),
		LOAD(BPF_W, 3, 1, offsetof(struct xdp_md, data_end)),
		COPY(4, 2),
		ADD(4, kind->at + 2),
		OP(BPF_JMP | BPF_JGT | BPF_X, 4, 3, 20, 0),
		LOAD(BPF_H, 4, 2, AT_ETHERTYPE),
		UNLESS(4, IPV4, 18),
		LOAD(BPF_B, 4, 2, AT_PROTOCOL),
		UNLESS(4, UDP, 16),
		LOAD(BPF_H, 4, 2, AT_PORT),
		UNLESS(4, ROCE, 14),
		LOAD(kind->size, 4, 2, (short)kind->at),
		UNLESS(4, kind->value, 12),
		OP(BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, 0),
		COPY(2, 10),
		ADD(2, -4),
		OP(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, counter),
		OP(0, 0, 0, 0, 0),
		OP(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
		OP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 5, 0),
		SET(1, 1),
		OP(BPF_STX | BPF_ATOMIC | BPF_DW, 0, 1, 0, BPF_ADD | BPF_FETCH),
		UNLESS(1, 0, 2),
		SET(0, XDP_DROP),
		END,
		SET(0, XDP_PASS),
		END,
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_XDP,
		.insns = (uintptr_t)program,
		.insn_cnt = sizeof(program) / sizeof(*program),
		.license = (uintptr_t)"Dual BSD/GPL",
	};

	return bpf(BPF_PROG_LOAD, &attr);
}

/* Lasts until the descriptor is closed, the latest at our end. */
static int attach(int program, const char *netdev)
{
	union bpf_attr attr = {
		.link_create = {
			.prog_fd = (uint32_t)program,
			.target_ifindex = if_nametoindex(netdev),
			.attach_type = BPF_XDP,
			.flags = XDP_FLAGS_SKB_MODE,
		},
	};

	return bpf(BPF_LINK_CREATE, &attr);
}

static uint64_t read_counter(int counter)
{
	uint32_t key = 0;
	uint64_t value = 0;
	union bpf_attr attr = {
		.map_fd = (uint32_t)counter,
		.key = (uintptr_t)&key,
		.value = (uintptr_t)&value,
	};

	return bpf(BPF_MAP_LOOKUP_ELEM, &attr) < 0 ? 0 : value;
}

static int run(char **argv)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execvp(argv[0], argv);
		perror(argv[0]);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static const struct kind *find_kind(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct kind *kind = argc < 4 ? NULL : find_kind(argv[1]);
	int counter, program, status;
	uint64_t came;

	if (!kind) {
		fprintf(stderr, "Usage: %s ack|rtu|datagram NETDEV COMMAND...\n", argv[0]);
		return 2;
	}
	counter = make_counter();
	program = counter < 0 ? -1 : load_program(kind, counter);
	if (program < 0 || attach(program, argv[2]) < 0) {
		perror("lose-one: bpf");
		return NOTHING_LOST;
	}
	status = run(argv + 3);
	if (status < 0)
		perror("lose-one");
	came = read_counter(counter);
	if (!came)
		fprintf(stderr, "lose-one: the command ended with %d\n", status);
	fprintf(stderr, "lose-one: %s\n", came > 1 ? "the first was lost, another came" :
			came ? "the only one was lost" : "none came");
	return came ? status : NOTHING_LOST;
}
