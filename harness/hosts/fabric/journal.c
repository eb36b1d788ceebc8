/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "base/address.h"

#define MAGIC "verbatim-undo 1"
#define SIZE_MAX_READ (4 << 20)
#define LINE_MAX_BYTES 2048	/* a route of a machine is the longest */

struct journal {
	unsigned run;
	int fd;			/* owned, locked */
	int flag_fd;		/* owned; a socket whose name other processes can see */
	char path[300];
};

/* A sweep executes the journals, often as root. So no other user may be able to write one. */
int journal_dir(char dir[256], struct vbm_error *err)
{
	const char *env = getenv("VERBATIM_RUNDIR");
	int ret;

	if (env) {
		snprintf(dir, 256, "%s", env);
		ret = file_private_dir(dir);
		if (ret < 0)
			return vbm_fail(err, -ret, "cannot use VERBATIM_RUNDIR=%s: %s", dir,
					strerror(-ret));
		return 0;
	}
	snprintf(dir, 256, "/run/verbatim");
	if (file_private_dir(dir) == 0)
		return 0;
	snprintf(dir, 256, "/tmp/verbatim-%u", geteuid());
	ret = file_private_dir(dir);
	if (ret < 0)
		return vbm_fail(err, -ret,
				"neither /run/verbatim nor %s can hold the undo journal: %s", dir,
				strerror(-ret));
	return 0;
}

int journal_lock(const char *path, bool create, int *out, struct vbm_error *err)
{
	auto_close int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (create ? O_CREAT : 0), 0600);
	struct stat st;

	if (fd < 0)
		return vbm_fail(err, errno, "cannot open %s: %s", path, strerror(errno));
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return vbm_fail(err, EINVAL, "%s: not a regular file", path);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return vbm_fail(err, errno == EWOULDBLOCK ? EBUSY : errno, "%s is in use", path);
	/* The other process may have removed the file between open() and flock(). */
	if (fstat(fd, &st) < 0 || st.st_nlink == 0)
		return vbm_fail(err, EBUSY, "%s is in use", path);
	*out = steal_fd(&fd);
	return 0;
}

static void read_boot_id(char id[64])
{
	auto_file FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (!f || fscanf(f, "%63s", id) != 1)
		memcpy(id, "unknown", sizeof("unknown"));
}

/*
 * A run's id only has to differ from the ids of other runs. For random numbers of
 * cryptographic quality, a guest that has just booted would wait for seconds.
 */
static uint16_t pick_run(void)
{
	uint16_t run;

	if (getrandom(&run, sizeof(run), GRND_INSECURE) != sizeof(run))
		run = (uint16_t)(clock_now_ns() >> 10 ^ getpid());
	return run;
}

#define FLAG "verbatim-run-%04x"
#define FLAG_READ "verbatim-run-%4x"

static int raise_flag(struct journal *journal, struct vbm_error *err)
{
	struct sockaddr_un sa;
	socklen_t len;
	char name[32];

	if (journal->flag_fd >= 0)
		close(journal->flag_fd);
	journal->flag_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	snprintf(name, sizeof(name), FLAG, journal->run);
	if (journal->flag_fd < 0 || address_abstract(name, &sa, &len) < 0 ||
	    bind(journal->flag_fd, (struct sockaddr *)&sa, len) < 0)
		return vbm_fail(err, errno == EADDRINUSE ? EBUSY : errno,
				"cannot mark run %04x as alive: %s", journal->run, strerror(errno));
	return 0;
}

static int create_file(struct journal *journal, const char *dir, struct vbm_error *err)
{
	uint16_t run = pick_run();
	int ret;

	journal->run = run;
	ret = raise_flag(journal, err);
	if (ret < 0)
		return ret;
	snprintf(journal->path, sizeof(journal->path), "%s/%04x.undo", dir, run);
	if (access(journal->path, F_OK) == 0)
		return -EBUSY;
	return journal_lock(journal->path, true, &journal->fd, err);
}

int journal_create(struct journal **out, struct vbm_error *err)
{
	struct journal *journal = xcalloc(1, sizeof(*journal));
	char dir[256], boot[64];
	int ret, tries;

	journal->fd = journal->flag_fd = -1;
	ret = journal_dir(dir, err);
	for (tries = 0; ret == 0 && tries < 100; tries++) {
		ret = create_file(journal, dir, err);
		if (ret != -EBUSY)
			break;
		ret = 0;
	}
	if (ret == 0 && journal->fd < 0)
		ret = vbm_fail(err, EBUSY, "%s is full of undo journals: run 'verbatim doctor --sweep'",
			       dir);
	if (ret == 0) {
		read_boot_id(boot);
		if (dprintf(journal->fd, MAGIC " %04x %s\n", journal->run, boot) < 0)
			ret = vbm_fail(err, errno, "cannot write %s: %s", journal->path,
				       strerror(errno));
	}
	if (ret < 0) {
		journal_close(journal, true);
		return ret;
	}
	*out = journal;
	return 0;
}

unsigned journal_run(const struct journal *journal)
{
	return journal->run;
}

int journal_run_of_name(const char *name)
{
	unsigned run;
	int end = 0;

	if (strlen(name) != 9 || sscanf(name, "%4x.undo%n", &run, &end) != 1 || end != 9)
		return -1;
	return (int)run;
}

int journal_add(struct journal *journal, const char *const *words, int count,
		struct vbm_error *err)
{
	char line[LINE_MAX_BYTES];
	size_t n = 0;
	int i;

	for (i = 0; i < count && n < sizeof(line); i++)
		n += (size_t)snprintf(line + n, sizeof(line) - n, "%s%c", words[i],
				      i == count - 1 ? '\n' : '\t');
	if (n >= sizeof(line))
		return vbm_fail(err, ENAMETOOLONG, "undo entry %s is too long", words[0]);
	if (write(journal->fd, line, n) != (ssize_t)n)
		return vbm_fail(err, errno ? errno : ENOSPC, "cannot write %s: %s", journal->path,
				strerror(errno));
	return 0;
}

int64_t journal_size(const struct journal *journal)
{
	return lseek(journal->fd, 0, SEEK_CUR);
}

/* If it fails, the lines stay, and what they say is undone once more. */
void journal_shorten(struct journal *journal, int64_t size)
{
	if (ftruncate(journal->fd, size) == 0)
		lseek(journal->fd, size, SEEK_SET);
}

void journal_close(struct journal *journal, bool undone)
{
	if (!journal)
		return;
	if (journal->fd >= 0) {
		if (undone)
			unlink(journal->path);
		close(journal->fd);
	}
	if (journal->flag_fd >= 0)
		close(journal->flag_fd);
	free(journal);
}

/*
 * A sweep removes things of dead runs. If /proc cannot be read, every run counts as alive,
 * so that nothing of a living run is removed.
 */
static bool flag_is_up(int run)
{
	auto_file FILE *f = fopen("/proc/thread-self/net/unix", "re");
	char line[512], *name;
	unsigned up;

	if (!f)
		return true;
	while (fgets(line, sizeof(line), f)) {
		name = strrchr(line, ' ');
		if (name && sscanf(name, " @" FLAG_READ, &up) == 1 && (run < 0 || (int)up == run))
			return true;
	}
	return ferror(f);
}

bool journal_is_here(void)
{
	return flag_is_up(-1);
}

static bool lock_is_held(const char *dir, int run)
{
	auto_close int fd = -1;
	char path[300];
	int ret;

	snprintf(path, sizeof(path), "%.255s/%04x.undo", dir, (unsigned)run);
	ret = journal_lock(path, false, &fd, NULL);
	return ret < 0 && ret != -ENOENT;
}

bool journal_alive(const char *dir, int run)
{
	struct dirent *entry;
	auto_dir DIR *d = NULL;
	bool alive = flag_is_up(run);
	int other;

	if (alive || run >= 0)
		return alive || lock_is_held(dir, run);
	d = opendir(dir);
	while (d && !alive && (entry = readdir(d))) {
		other = journal_run_of_name(entry->d_name);
		alive = other >= 0 && lock_is_held(dir, other);
	}
	return alive;
}

static bool split_line(char *line, struct journal_entry *entry)
{
	char *save = NULL, *word;

	memset(entry, 0, sizeof(*entry));
	for (word = line; *word; word++)
		if ((unsigned char)*word < ' ' && *word != '\t')
			return false;
	for (word = strtok_r(line, "\t", &save); word; word = strtok_r(NULL, "\t", &save)) {
		if (entry->count == JOURNAL_WORDS_MAX)
			return false;
		entry->words[entry->count++] = word;
	}
	return entry->count > 0;
}

static bool parse_header(const char *line, const char *boot_id, struct journal_text *out)
{
	char boot[64];
	int end = 0;

	if (sscanf(line, MAGIC " %4x %63s%n", &out->run, boot, &end) != 2 || line[end])
		return false;
	out->same_boot = !strcmp(boot, boot_id);
	return true;
}

int journal_parse(const char *text, size_t size, const char *boot_id, struct journal_text *out,
		  struct vbm_error *err)
{
	struct journal_entry entry;
	char *line, *end;

	memset(out, 0, sizeof(*out));
	out->text = xstrndup(text, size);
	end = strchr(out->text, '\n');
	if (end)
		*end = '\0';
	if (!end || !parse_header(out->text, boot_id, out)) {
		journal_text_fini(out);
		return vbm_fail(err, EBADMSG, "this is not an undo journal");
	}
	for (line = end + 1; *line; line = end + 1) {
		end = strchr(line, '\n');
		if (!end) {
			out->skipped++;
			break;
		}
		*end = '\0';
		if (!split_line(line, &entry)) {
			out->skipped++;
			continue;
		}
		GROW(out->entries, out->count);
		out->entries[out->count++] = entry;
	}
	return 0;
}

int journal_read(int fd, struct journal_text *out, struct vbm_error *err)
{
	auto_free char *text = NULL;
	char boot[64];
	size_t n;
	int ret = file_fd_read_whole(fd, SIZE_MAX_READ, &text, &n);

	if (ret == -EFBIG)
		return vbm_fail(err, EFBIG, "an undo journal of more than %d bytes was not "
				"written by verbatim", SIZE_MAX_READ);
	if (ret < 0)
		return vbm_fail(err, -ret, "cannot read an undo journal: %s", strerror(-ret));
	read_boot_id(boot);
	return journal_parse(text, n, boot, out, err);
}

void journal_text_fini(struct journal_text *text)
{
	free(text->entries);
	free(text->text);
	memset(text, 0, sizeof(*text));
}
