/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: guest/modules.c guest/accel.c guest/kernel-image.c guest/console.c guest/machine.c guest/qemu.c guest/tsc.c base/strlist.c */
#include "cmocka_all.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strlist.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "guest/accel.h"
#include "guest/console.h"
#include "guest/guest.h"
#include "guest/image.h"
#include "guest/kernel.h"
#include "guest/machine.h"
#include "guest/tsc.h"
#include "process/program.h"

/*
 * Init, as the first process of a guest, restarts the machine when it ends. The child has
 * no rights, so a mistake only ends in the alarm and does no harm.
 */
TEST(test_init__not_the_first_process__is_a_program)
{
	const char *build = getenv("VBM_BUILDDIR");
	auto_free char *program = xasprintf("%s/verbatim", build ? build : ".");
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		if (geteuid() == 0 && setuid(65534) < 0)
			_exit(99);
		alarm(10);
		execl(program, "/init", "--version", NULL);
		_exit(98);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* A kernel's module tree; its modules contain only the names of the modules that they need. */
static char tree[] = "/tmp/verbatim-modules-XXXXXX";

static void write_module(const char *name, const char *info, size_t size)
{
	static const char names[] = "\0.modinfo\0.shstrtab";
	auto_free char *path = xasprintf("%s/lib/modules/1.0/kernel/%s.ko", tree, name);
	const size_t at = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Shdr);
	Elf64_Ehdr head = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_REL, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
		.e_ehsize = sizeof(head), .e_shoff = sizeof(head),
		.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3, .e_shstrndx = 2,
	};
	Elf64_Shdr sections[3] = {
		[1] = {.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = at, .sh_size = size},
		[2] = {.sh_name = 10, .sh_type = SHT_STRTAB, .sh_offset = at + size,
		       .sh_size = sizeof(names)},
	};
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(&head, sizeof(head), 1, f), 1);
	assert_int_equal(fwrite(sections, sizeof(sections), 1, f), 1);
	assert_int_equal(fwrite(info, 1, size, f), size);
	assert_int_equal(fwrite(names, sizeof(names), 1, f), 1);
	assert_int_equal(fclose(f), 0);
}

static int make_tree(void **state)
{
	static const char needs[] = "softdep=pre: b dash-ed post: late";
	auto_free char *make = NULL, *list = NULL;

	(void)state;
	if (!mkdtemp(tree))
		return -1;
	make = xasprintf("mkdir -p %s/lib/modules/1.0/kernel; cd %s/lib/modules/1.0 && "
			 "echo kernel/drivers/inside.ko >modules.builtin", tree, tree);
	list = xasprintf("PATH=$PATH:/usr/sbin:/sbin depmod -b %s 1.0 2>/dev/null", tree);
	if (system(make) != 0)
		return -1;
	write_module("a", needs, sizeof(needs));
	write_module("b", "license=GPL", 12);
	write_module("dash-ed", "license=GPL", 12);
	write_module("late", "license=GPL", 12);
	return system(list);
}

static int remove_tree(void **state)
{
	auto_free char *command = xasprintf("rm -rf %s", tree);

	(void)state;
	return system(command);
}

UNIT(.all = {make_tree, remove_tree});

static int closure(const char *const *names, struct string_list *out, struct vbm_error *err)
{
	auto_free char *dir = xasprintf("%s/lib/modules/1.0", tree);

	return modules_closure(dir, names, out, err);
}

TEST(test_modules__closure__is_in_load_order)
{
	static const char *const wanted[] = {"b.ko", "dash-ed.ko", "a.ko", "late.ko"};
	const char *const names[] = {"inside", "absent?", "a", "dash_ed", "b", NULL};
	auto_string_list struct string_list l = {0};
	struct vbm_error err = {0};
	size_t i;

	if (closure(names, &l, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(l.count, ARRAY_SIZE(wanted));
	for (i = 0; i < ARRAY_SIZE(wanted); i++)
		assert_string_equal(strrchr(l.item[i], '/') + 1, wanted[i]);
}

TEST(test_modules__missing_one__is_named)
{
	const char *const names[] = {"b", "veth", NULL};
	auto_string_list struct string_list l = {0};
	struct vbm_error err = {0};

	assert_int_equal(closure(names, &l, &err), -ENOENT);
	assert_string_equal(err.msg, "it has no module veth");
}

TEST(test_modules__name__has_no_folder_suffix_or_dash)
{
	auto_free char *a = module_name("kernel/lib/crc32-x86.ko.zst"), *b = module_name("veth");

	assert_string_equal(a, "crc32_x86");
	assert_string_equal(b, "veth");
}

TEST(test_modules__signature__is_measured)
{
	static const char mark[] = "~Module signature appended~\n";
	char data[256] = "module";
	size_t at = 100;

	assert_int_equal(module_unsigned_len(data, sizeof(data)), sizeof(data));
	data[at + 20 + 11] = 20;	/* the signature is 20 bytes */
	memcpy(data + at + 20 + 12, mark, sizeof(mark) - 1);
	assert_int_equal(module_unsigned_len(data, at + 20 + 12 + sizeof(mark) - 1), at);
	data[at + 20 + 8] = 1;		/* or more than the file has */
	assert_int_equal(module_unsigned_len(data, at + 20 + 12 + sizeof(mark) - 1),
			 at + 20 + 12 + sizeof(mark) - 1);
	assert_int_equal(module_unsigned_len(mark, 10), 10);
}

TEST(test_bzimage__payload__is_found_or_refused)
{
	auto_free char *image = xcalloc(1, 0x2000);
	struct bzimage_payload p;

	assert_false(kernel_bzimage_find_payload(image, 0x2000, &p));
	memcpy(image + 0x202, "HdrS", 4);
	image[0x207] = 2;
	image[0x206] = 15;
	image[0x1f1] = 1;
	image[0x248] = 0x10;	/* 0x400 + 0x10 */
	image[0x24c] = 0x20;
	assert_false(kernel_bzimage_find_payload(image, 0x2000, &p));
	memcpy(image + 0x410, "\x28\xb5\x2f\xfd", 4);
	image[0x410 + 0x1c] = 0x7b;
	assert_true(kernel_bzimage_find_payload(image, 0x2000, &p));
	assert_string_equal(p.tool, "zstd");
	assert_ptr_equal(p.data, image + 0x410);
	assert_int_equal(p.len, 0x1c);
	assert_int_equal(p.unpacked_len, 0x7b);
	assert_false(kernel_bzimage_find_payload(image, 0x420, &p));
	image[0x24e] = 0x7f;
	assert_false(kernel_bzimage_find_payload(image, 0x2000, &p));
	assert_false(kernel_vmlinux_has_entry(image, 0x2000));
}

TEST(test_loader_list__paths_are_taken)
{
	char text[] = "\tlinux-vdso.so.1 (0x00007ffd)\n"
		      "\tlibc.so.6 => /lib/x/libc.so.6 (0x00007f05)\n"
		      "\t/lib64/ld-linux-x86-64.so.2 (0x00007f06)\n";
	auto_string_list struct string_list l = {0};

	assert_int_equal(program_parse_loader_list(text, &l, NULL), 0);
	assert_int_equal(l.count, 2);
	assert_string_equal(l.item[0], "/lib/x/libc.so.6");
	assert_string_equal(l.item[1], "/lib64/ld-linux-x86-64.so.2");
}

TEST(test_loader_list__not_found__is_an_error)
{
	char text[] = "\tlibc.so.6 => /lib/x/libc.so.6 (0x00007f05)\n\tlibgone.so.1 => not found\n";
	auto_string_list struct string_list l = {0};
	struct vbm_error err = {0};

	assert_int_equal(program_parse_loader_list(text, &l, &err), -ENOENT);
	assert_string_equal(err.msg, "libgone.so.1 is not found");
}

static char *end_cause(const char *console, const char *errors, int running, int status)
{
	return console_end_cause(&(struct guest_end){"QEMU", console, errors, running, status});
}

TEST(test_console__proper_end__has_no_cause)
{
	assert_null(end_cause("x\r\n" GUEST_SAYS_ENDED "0\r\nreboot: Restarting\r\n", "", 0, 0));
	assert_null(end_cause("x\r\n" GUEST_SAYS_ENDED "0\r\n", "", 1, 0));
}

TEST(test_console__panic_wins_over_its_oops)
{
	auto_free char *s = end_cause("[1] BUG: kernel NULL pointer dereference\r\n"
				     "[1] Oops: 0002 [#1]\r\n"
				     "[2] Kernel panic - not syncing: Fatal exception\r\n"
				     "[2] Rebooting\r\n", "", 0, 0);

	assert_string_equal(s, "Kernel panic - not syncing: Fatal exception\n"
			       "[1] BUG: kernel NULL pointer dereference\n"
			       "[1] Oops: 0002 [#1]\n"
			       "[2] Kernel panic - not syncing: Fatal exception\n"
			       "[2] Rebooting");
}

TEST(test_console__reasons__are_told_apart)
{
	static const struct {
		const char *console, *errors;
		int running, status;
		const char *says;
	} cases[] = {
		{"", "", 1, 0, "the guest never started: nothing came on its console"},
		{"[0] Linux\n", "", 1, 0, "the guest runs but does not answer\n[0] Linux"},
		{"", "a\nKVM internal error. Suberror: 1\n", 1, 0,
		 "QEMU says: KVM internal error. Suberror: 1"},
		{"", "qemu: no such machine\n", 0, 256, "QEMU ended: qemu: no such machine"},
		{"", "", 0, SIGKILL, "QEMU was killed by signal 9 (Killed)"},
		{"", "Checking for this...OK\n", 0, SIGKILL,
		 "QEMU was killed by signal 9 (Killed); its last words: Checking for this...OK"},
		{"", "", 0, 0, "the guest ended by itself (QEMU ended with status 0)"},
		{GUEST_SAYS_KILLED "11 (Segmentation fault)\n", "", 0, 0,
		 GUEST_SAYS_KILLED "11 (Segmentation fault)\n"
		 GUEST_SAYS_KILLED "11 (Segmentation fault)"},
		{GUEST_SAYS_ENDED "1\n", "", 0, 0, GUEST_SAYS_ENDED "1\n" GUEST_SAYS_ENDED "1"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		auto_free char *s = end_cause(cases[i].console, cases[i].errors,
					     cases[i].running, cases[i].status);

		assert_non_null(s);
		assert_string_equal(s, cases[i].says);
	}
}

TEST(test_console__long__only_its_end_is_told)
{
	auto_free char *console = xcalloc(1, 64 * 100);
	int i, lines = 0;

	for (i = 0; i < 100; i++)
		sprintf(console + strlen(console), "line %d\n", i);
	auto_free char *s = end_cause(console, "", 1, 0);

	for (i = 0; s[i]; i++)
		lines += s[i] == '\n';
	assert_int_equal(lines, 20);
	assert_non_null(strstr(s, "\nline 80\n"));
	assert_null(strstr(s, "line 79"));
}

/*
 * The report of a crash begins before the last lines of the console. Much older lines do
 * not belong to it.
 */
TEST(test_console__crash__begins_with_the_first_complaint)
{
	static const char ends[] = "Kernel panic - not syncing: Kernel mode fault at addr 0x8";
	struct text console auto_text = {0};
	auto_free char *crash = NULL, *s = NULL, *wanted = NULL;
	int i;

	text_add(&console, "[    1.5] WARNING: at early.c:1\r\n");
	for (i = 0; i < 120; i++)
		text_addf(&console, "[    2.%d] quiet\r\n", i);
	text_add(&console, "[    3.5] ------------[ cut here ]------------\r\n[    3.5] GID leak\r\n");
	for (i = 0; i < 30; i++)
		text_addf(&console, "[    3.6]  trace+0x%d\r\n", i);
	text_addf(&console, "[    3.7] %s\r\n[    3.7]  last\r\n\r\n", ends);
	crash = console_crash(console.s);
	assert_non_null(crash);
	assert_ptr_equal(strstr(crash, "[    3.5] ------------[ cut here ]------------\n[    3.5] GID leak\n"), crash);
	assert_non_null(strstr(crash, "trace+0x0\n"));
	assert_true(crash[strlen(crash) - 1] == 't');
	s = end_cause(console.s, "", 0, 0);
	wanted = xasprintf("%s\n%s", ends, crash);
	assert_string_equal(s, wanted);
}

/* The warning of an earlier variant is not the crash. It took the room of the panic's trace. */
TEST(test_console__crash__leaves_out_a_complaint_that_was_over)
{
	struct text console auto_text = {0};
	auto_free char *crash = NULL;
	int i;

	text_add(&console, "------------[ cut here ]------------\r\nWARNING: at rxe_comp.c:827\r\n");
	for (i = 0; i < 40; i++)
		text_addf(&console, " [<6046186f>] ? rxe_completer+0x%x/0xf50\r\n", i);
	text_add(&console, "---[ end trace 0000000000000000 ]---\r\n");
	for (i = 0; i < 90; i++)
		text_addf(&console, "resize_cq: returned err = -%d\r\n", i);
	text_add(&console, "Kernel panic - not syncing: Segfault with no mm\r\n [<60463696>] ? rxe_receiver+0x26/0x50\r\n");
	crash = console_crash(console.s);
	assert_non_null(crash);
	assert_ptr_equal(strstr(crash, "Kernel panic"), crash);
	assert_non_null(strstr(crash, "rxe_receiver+0x26"));
}

/* The stack of a kernel with KASAN has hundreds of addresses. */
TEST(test_console__crash__has_a_trace_of_any_length)
{
	struct text console auto_text = {0}, quiet auto_text = {0};
	auto_free char *crash = NULL;
	int i;

	text_add(&console, "WARNING: at early.c:1\r\n");
	for (i = 0; i < 120; i++)
		text_addf(&console, "quiet %d\r\n", i);
	text_add(&quiet, console.s);
	text_add(&console, "Kernel panic - not syncing: Kernel mode fault at addr 0x0\r\n [<6098a335>] ? rxe_rcv+0x585/0xc90\r\n");
	for (i = 0; i < 500; i++)
		text_addf(&console, " [<605751b0>] ? __asan_load4+0x%x/0x80\r\n", i);
	crash = console_crash(console.s);
	assert_non_null(crash);
	assert_non_null(strstr(crash, "Kernel panic - not syncing: Kernel mode fault at addr 0x0\n [<6098a335>] ? rxe_rcv+0x585"));
	assert_null(strstr(crash, "WARNING"));
	/* It is no crash if the kernel has said something else since then. */
	for (i = 0; i < 120; i++)
		text_addf(&console, "quiet %d\r\n", i);
	assert_null(console_crash(console.s));
	assert_null(console_crash(quiet.s));
}

TEST(test_console__no_panic__is_no_crash)
{
	assert_null(console_crash(""));
	assert_null(console_crash("WARNING: at rxe.c:1\nOops: 0002 [#1]\n"));
}

static bool has_word(const struct args *a, const char *word)
{
	size_t i;

	for (i = 0; i < a->count; i++)
		if (strstr(a->item[i], word))
			return true;
	return false;
}

TEST(test_tsc__is_measured_and_told)
{
	long a = tsc_khz(), b = tsc_khz();
	struct machine m = {.program = "qemu", .image = "vmlinux", .tsc_khz = 2300001, .terminal_fd = -1};
	auto_args struct args known = {0}, unknown = {0};

#ifdef __x86_64__
	assert_in_range(a, 100000, 20000000);
#endif
	assert_in_range(b, a - a / 100, a + a / 100);
	qemu_args(&known, &m);
	assert_true(has_word(&known, " tsc_early_khz=2300001 "));
	/* A guest must end after an oops. */
	assert_true(has_word(&known, " oops=panic panic=-1 "));
	m.tsc_khz = 0;
	qemu_args(&unknown, &m);
	assert_false(has_word(&unknown, "tsc_early_khz"));
}

TEST(test_accel__memory__keeps_one_line_a_key_and_forgets)
{
	auto_free char *one = accel_memory_set("", "host a", true, 1000);
	auto_free char *two = accel_memory_set(one, "host b", true, 2000);
	auto_free char *again = accel_memory_set(two, "host a", true, 3000);
	auto_free char *gone = accel_memory_set(again, "host a", false, 3000);

	assert_true(accel_memory_has(two, "host a", 2000));
	assert_true(accel_memory_has(two, "host b", 2000));
	assert_false(accel_memory_has(two, "host", 2000));
	assert_false(accel_memory_has("", "", 2000));
	assert_false(accel_memory_has("garbage\n\n12\n", "garbage", 2000));
	assert_string_equal(again, "3000 host a\n2000 host b\n");
	assert_string_equal(gone, "2000 host b\n");
	assert_false(accel_memory_has(one, "host a", 1000 + 8 * 24 * 3600));
}
