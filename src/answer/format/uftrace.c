/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/format/uftrace.h>

#include <errno.h>
#include <exectrace/answer/format/text.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/grow.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define RECORDS_KEPT 8192u /* bytes of a task that are written together */
#define MODULE_BYTES (UINT64_C(1) << 32)
#define FUNCTION_BYTES 16u
#define MODULES_MAX 60000u /* addresses have 48 bits */
#define SESSION "6578656374726163"
#define MODE 0666

/* The header of `info`. */
struct info {
	char magic[8];
	uint32_t version;
	uint16_t size;
	uint8_t little_endian, elf_class;
	uint64_t features, fields;
	uint16_t max_stack, unused[3];
};

_Static_assert(sizeof(struct info) == 40, "as uftrace has it");

enum feature { FEATURE_TASKS = 1 << 1, FEATURE_RELATIVE = 1 << 5, FEATURE_MAX_STACK = 1 << 6 };
enum field { FIELD_EXE = 1 << 0, FIELD_COMMAND = 1 << 3, FIELD_TASKS = 1 << 7 };

/* --- Files ---------------------------------------------------------------------------------------------------------
 */

static int write_file(const struct uftrace *u, const char *name, int flags, const struct buf *text)
{
	int fd, rc;

	if (u->directory < 0)
		return 0;
	fd = openat(u->directory, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | flags, MODE);
	if (fd < 0)
		return -errno;
	rc = fd_write_all(fd, text->data, text->len);
	if (close(fd) && !rc)
		rc = -errno;
	return rc;
}

static int flush(struct uftrace *u, struct uftrace_task *task)
{
	char name[24];
	int rc;

	snprintf(name, sizeof(name), "%u.dat", task->tid);
	rc = write_file(u, name, O_APPEND, &task->records);
	task->written = true;
	task->records.len = 0;
	return rc;
}

int uftrace_open(struct uftrace *u, int directory)
{
	*u = (struct uftrace){.directory = -1};
	if (!directory)
		return 0;
	u->directory = fcntl(directory, F_DUPFD_CLOEXEC, 3);
	return u->directory < 0 ? -errno : 0;
}

void uftrace_release(struct uftrace *u)
{
	for (size_t i = 0; i < u->n; i++) {
		buf_release(&u->tasks[i].records);
		free(u->tasks[i].name);
	}
	for (size_t i = 0; i < u->n_all; i++) {
		buf_release(&u->all[i].symbols);
		free(u->all[i].name);
	}
	free(u->tasks);
	free(u->all);
	byte_map_release(&u->functions);
	byte_map_release(&u->modules);
	buf_release(&u->key);
	fd_close(&u->directory);
}

/* --- Functions -----------------------------------------------------------------------------------------------------
 */

/* A name for a file, which no other module has. */
static int name_module(struct buf *name, struct data_text module, size_t number)
{
	size_t start = name->len;
	int rc = 0;

	for (size_t i = 0; i < module.n && i < 100 && !rc; i++) {
		char c = module.bytes[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		             (c && strchr("[]._+-", c));

		rc = buf_putc(name, plain && (c != '.' || i) ? c : '_');
	}
	if (!rc && name->len == start)
		rc = buf_puts(name, "unknown");
	return rc || !number ? rc : buf_printf(name, "-%zu", number);
}

static int add_module(struct uftrace *u, struct data_text module)
{
	struct uftrace_module *m;
	struct buf name = BUF_INIT;
	int rc = grow_array((void **)&u->all, u->n_all, &u->cap_all, sizeof(*m));

	if (!rc)
		rc = name_module(&name, module, u->n_all);
	if (rc) {
		buf_release(&name);
		return rc;
	}
	m = &u->all[u->n_all];
	*m = (struct uftrace_module){.name = buf_steal(&name), .next = FUNCTION_BYTES};
	if (!m->name)
		return -ENOMEM;
	m->base = ++u->n_all * MODULE_BYTES;
	return 0;
}

/* Those that are too many are in the last one. */
static int find_module(struct uftrace *u, struct data_text module, struct uftrace_module **found)
{
	uint64_t *place;
	int rc = byte_map_find(&u->modules, module.bytes, module.n, &place);

	if (!rc && !*place && u->n_all < MODULES_MAX)
		rc = add_module(u, module);
	if (rc)
		return rc;
	*place = *place ? *place : u->n_all;
	*found = &u->all[*place - 1];
	return 0;
}

/*
 * Functions after which uftrace expects another program: it forgets what is open, so that the return, which the record
 * of a system call has, would take the time since the machine was booted.
 */
static bool is_exec(struct data_text name)
{
	static const char *const names[] = {"execl", "execle", "execlp", "execv", "execve", "execvp", "execvpe"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (name.n == strlen(names[i]) && memcmp(name.bytes, names[i], name.n) == 0)
			return true;
	return false;
}

static int put_name(struct buf *out, struct data_text name)
{
	if (is_exec(name))
		return buf_printf(out, "[%.*s]", (int)name.n, name.bytes);
	return name.n ? text_append(out, name, '\0') : buf_putc(out, '?');
}

int uftrace_function(struct uftrace *u, struct data_text name, struct data_text module, uint64_t *address)
{
	struct uftrace_module *m = NULL;
	uint64_t *known = NULL;
	int rc;

	u->key.len = 0;
	rc = buf_append(&u->key, name.bytes, name.n);
	if (!rc)
		rc = buf_putc(&u->key, '\0');
	if (!rc)
		rc = buf_append(&u->key, module.bytes, module.n);
	if (!rc)
		rc = byte_map_find(&u->functions, u->key.data, u->key.len, &known);
	if (!rc && !*known) {
		rc = find_module(u, module, &m);
		if (!rc)
			rc = buf_printf(&m->symbols, "%016llx T ", (unsigned long long)m->next);
		if (!rc)
			rc = put_name(&m->symbols, name);
		if (!rc)
			rc = buf_putc(&m->symbols, '\n');
		if (rc)
			return rc;
		*known = m->base + m->next;
		m->next += FUNCTION_BYTES;
	}
	if (!rc)
		*address = *known;
	return rc;
}

static int write_module(const struct uftrace *u, const struct uftrace_module *m)
{
	cleanup_buf struct buf text = BUF_INIT, name = BUF_INIT;
	int rc = buf_printf(&name, "%s.sym", m->name);

	if (!rc)
		rc = buf_printf(&text, "# symbols: %llu\n# path name: /%s\n",
		                (unsigned long long)(m->next / FUNCTION_BYTES - 1), m->name);
	if (!rc)
		rc = buf_append(&text, m->symbols.data, m->symbols.len);
	if (!rc)
		rc = buf_printf(&text, "%016llx ? __sym_end\n", (unsigned long long)m->next);
	return rc ? rc : write_file(u, name.data, O_TRUNC, &text);
}

/* --- Tasks ---------------------------------------------------------------------------------------------------------
 */

int uftrace_name(struct uftrace *u, size_t task, struct data_text name)
{
	struct buf text = BUF_INIT;
	char *clean = text_append(&text, name, '"') ? NULL : buf_steal(&text);

	buf_release(&text);
	if (!clean)
		return -ENOMEM;
	/* uftrace takes the name for that of a file, and shows its last part. */
	for (char *slash = clean; (slash = strchr(slash, '/'));)
		*slash = '_';
	free(u->tasks[task].name);
	u->tasks[task].name = clean;
	return 0;
}

int uftrace_task(struct uftrace *u, uint32_t pid, uint32_t tid, uint64_t start, struct data_text name)
{
	int rc = grow_array((void **)&u->tasks, u->n, &u->cap, sizeof(*u->tasks));

	if (rc)
		return rc;
	u->tasks[u->n] = (struct uftrace_task){.tid = tid, .pid = pid, .start = start};
	rc = uftrace_name(u, u->n, name);
	u->n += !rc;
	return rc;
}

int uftrace_add(struct uftrace *u, size_t task, const struct uftrace_record *record)
{
	const uint64_t words[] = {record->time, (uint64_t)record->type | 5u << 3 | (uint64_t)record->depth << 6 |
	                                                record->address << 16};
	struct uftrace_task *t = &u->tasks[task];
	int rc;

	u->bytes += sizeof(words);
	if (u->directory < 0)
		return 0;
	rc = buf_append(&t->records, words, sizeof(words));
	return rc || t->records.len < RECORDS_KEPT ? rc : flush(u, t);
}

/* A session is what a process runs: the same symbols for all, each with the name of its process. */
static int write_tasks(const struct uftrace *u)
{
	cleanup_buf struct buf text = BUF_INIT;
	struct byte_map seen = {0};
	uint64_t *known;
	int rc = 0;

	for (size_t i = 0; i < u->n && !rc; i++) {
		const struct uftrace_task *t = &u->tasks[i];
		unsigned long long s = t->start / NS_PER_S, ns = t->start % NS_PER_S;

		rc = byte_map_find(&seen, &t->pid, sizeof(t->pid), &known);
		if (!rc && !*known)
			rc = buf_printf(&text, "SESS timestamp=%llu.%09llu pid=%u sid=" SESSION " exename=\"%s\"\n", s,
			                ns, t->pid, *t->name ? t->name : "?");
		if (!rc) {
			*known = 1;
			rc = buf_printf(&text, "TASK timestamp=%llu.%09llu tid=%u pid=%u\n", s, ns, t->tid, t->pid);
		}
	}
	byte_map_release(&seen);
	return rc ? rc : write_file(u, "task.txt", O_TRUNC, &text);
}

/* --- All -----------------------------------------------------------------------------------------------------------
 */

static int write_info(const struct uftrace *u, struct data_text command)
{
	const struct info info = {.magic = "Ftrace!",
	                          .version = 4,
	                          .size = sizeof(info),
	                          .little_endian = 1,
	                          .elf_class = 2,
	                          .features = FEATURE_TASKS | FEATURE_RELATIVE | FEATURE_MAX_STACK,
	                          .fields = FIELD_EXE | FIELD_COMMAND | FIELD_TASKS,
	                          .max_stack = UFTRACE_DEPTH + 1};
	cleanup_buf struct buf text = BUF_INIT;
	int rc = buf_append(&text, &info, sizeof(info));

	if (!rc)
		rc = buf_puts(&text, "exename:exectrace\ncmdline:");
	if (!rc)
		rc = text_append(&text, command, '\0');
	if (!rc)
		rc = buf_printf(&text, "\ntaskinfo:lines=2\ntaskinfo:nr_tid=%zu\ntaskinfo:tids=", u->n);
	for (size_t i = 0; i < u->n && !rc; i++)
		rc = buf_printf(&text, "%s%u", i ? "," : "", u->tasks[i].tid);
	if (!rc)
		rc = buf_putc(&text, '\n');
	return rc ? rc : write_file(u, "info", O_TRUNC, &text);
}

static int write_map(const struct uftrace *u)
{
	cleanup_buf struct buf text = BUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < u->n_all && !rc; i++)
		rc = buf_printf(&text, "%012llx-%012llx r-xp 00000000 00:00 0 /%s\n",
		                (unsigned long long)u->all[i].base, (unsigned long long)(u->all[i].base + MODULE_BYTES),
		                u->all[i].name);
	if (!rc)
		rc = buf_puts(&text, "7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0 [stack]\n");
	return rc ? rc : write_file(u, "sid-" SESSION ".map", O_TRUNC, &text);
}

int uftrace_finish(struct uftrace *u, struct data_text command)
{
	int rc = write_info(u, command);

	if (!rc)
		rc = write_tasks(u);
	if (!rc)
		rc = write_map(u);
	for (size_t i = 0; i < u->n_all && !rc; i++)
		rc = write_module(u, &u->all[i]);
	for (size_t i = 0; i < u->n && !rc; i++)
		if (u->tasks[i].records.len || !u->tasks[i].written)
			rc = flush(u, &u->tasks[i]);
	return rc;
}
