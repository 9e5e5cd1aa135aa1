/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rights.h"

#include <errno.h>
#include <exectrace/answer/why/page/began.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GROUPS_MAX 64

/* Who a process is to the file system: path_resolution(7), "Permissions". */
struct ids {
	uid_t uid;
	gid_t gid;
	const char *groups; /* "4 24 27"; NULL: `own` */
	gid_t own[GROUPS_MAX];
	int n_own;
};

/* Of "REAL EFFECTIVE ..." the second one. */
static unsigned effective(const char *ids, unsigned own)
{
	char *real = NULL, *end = NULL;
	unsigned long id = 0;

	if (ids && strtoul(ids, &real, 10) <= UINT_MAX)
		id = strtoul(real, &end, 10);
	return end && end != real ? (unsigned)id : own;
}

static bool has_group(const struct ids *ids, gid_t gid)
{
	char *end = NULL;

	if (gid == ids->gid)
		return true;
	for (int i = 0; !ids->groups && i < ids->n_own; i++)
		if (ids->own[i] == gid)
			return true;
	for (const char *at = ids->groups; at && *at; at = end) {
		unsigned long group = strtoul(at, &end, 10);

		if (end == at)
			break;
		if (group == gid)
			return true;
	}
	return false;
}

/* Whether a file's mode denies one of the rights 04, 02, 01. Root has all but to execute what nobody may. */
static bool denies(const struct stat *st, const struct ids *ids, unsigned rights)
{
	unsigned shift = st->st_uid == ids->uid ? 6 : has_group(ids, st->st_gid) ? 3 : 0;

	if (ids->uid == 0)
		return rights & 1 && !S_ISDIR(st->st_mode) && !(st->st_mode & 0111);
	return rights & ~(st->st_mode >> shift);
}

/* "; /root is drwx------ of root" */
static void tell_mode(const char *path, const struct stat *st, struct buf *out)
{
	static const char letters[] = "rwxrwxrwx";
	const struct passwd *user = getpwuid(st->st_uid);
	const struct group *group = getgrgid(st->st_gid);

	buf_puts(out, "; ");
	page_name(out, path, COMMAND_MAX);
	buf_puts(out, S_ISDIR(st->st_mode) ? " is d" : " is -");
	for (unsigned i = 0; i < 9; i++)
		buf_putc(out, st->st_mode >> (8 - i) & 1 ? letters[i] : '-');
	buf_puts(out, " of ");
	if (user)
		buf_puts(out, user->pw_name);
	else
		buf_printf(out, "%u", st->st_uid);
	if (group)
		buf_printf(out, ":%s", group->gr_name);
	else
		buf_printf(out, ":%u", st->st_gid);
}

static bool changes_directory(const struct failure *f)
{
	static const char *const calls[] = {"mkdir", "rmdir", "unlink", "rename", "link", "symlink", "mknod", "creat"};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (strncmp(f->call, calls[i], strlen(calls[i])) == 0)
			return true;
	return false;
}

/* EPERM: only the owner of a file may do that. chmod(2), chown(2), utimensat(2) */
static bool changes_owned(const struct failure *f)
{
	return strstr(f->call, "chmod") || strstr(f->call, "chown") || strncmp(f->call, "utime", 5) == 0;
}

/* What the call needs of the file itself. */
static unsigned rights_of(const struct failure *f)
{
	if (strncmp(f->call, "execve", 6) == 0 || strcmp(f->call, "chdir") == 0)
		return 1;
	if (strstr(f->text, "O_RDWR"))
		return 6;
	return strstr(f->text, "O_WRONLY") || strncmp(f->call, "truncate", 8) == 0 ? 2 : 4;
}

static void denied(const struct failure *f, const struct ids *ids, struct buf *out)
{
	char path[PATH_MAX] = "";
	size_t length = strlen(f->what);
	struct stat st, above;

	while (length > 1 && f->what[length - 1] == '/')
		length--;
	for (size_t n = 1; n < length && n < sizeof(path); n++) {
		if (f->what[n] != '/')
			continue;
		memcpy(path, f->what, n);
		path[n] = 0;
		if (stat(path, &above))
			return;
		if (!denies(&above, ids, 1))
			continue;
		tell_mode(path, &above, out);
		return;
	}
	if (!*path || length >= sizeof(path))
		return;
	if (changes_directory(f) || stat(f->what, &st)) {
		if (denies(&above, ids, 2))
			tell_mode(path, &above, out);
	} else if (denies(&st, ids, rights_of(f))) {
		tell_mode(f->what, &st, out);
	}
}

/* It is to run as another user, and does not: with no_new_privs, which a process needs that may not trace others,
 * execve(2) does not change the user. */
static bool is_kept_from_its_user(const struct process_history *p, const struct ids *ids, struct buf *out)
{
	const char *path = p->process->path;
	struct stat st;

	if (!path || *path != '/' || !ids->uid || stat(path, &st) || !(st.st_mode & S_ISUID) || st.st_uid == ids->uid)
		return false;
	buf_puts(out, "; ");
	page_name(out, path, COMMAND_MAX);
	buf_puts(out, " is set-user-ID, which has no effect below an exectrace that root has not started");
	return true;
}

void page_rights(const struct why *why, const struct process_history *p, const struct failure *f, struct buf *out)
{
	const struct tree_node *node = process_tree_node(why->story.tree, p->process->number);
	const char *uid, *gid;
	struct ids ids;
	struct stat st;

	if (!node || *f->what != '/' || !f->text)
		return;
	uid = page_state(&node->state, "uid");
	gid = page_state(&node->state, "gid");
	ids.uid = effective(uid, geteuid());
	ids.gid = effective(gid, getegid());
	ids.groups = page_state(&node->state, "groups");
	/* No line of them where it has the same, or has none any more. */
	ids.n_own = !ids.groups && !uid && !gid ? getgroups(GROUPS_MAX, ids.own) : 0;
	if (is_kept_from_its_user(p, &ids, out))
		return;
	if (f->error == EACCES)
		denied(f, &ids, out);
	else if (changes_owned(f) && !stat(f->what, &st) && st.st_uid != ids.uid)
		tell_mode(f->what, &st, out);
}
