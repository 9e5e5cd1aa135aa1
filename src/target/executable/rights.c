/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rights.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

void rights_read(struct rights *rights, bool next)
{
	const uint64_t passes = 1U << CAP_DAC_OVERRIDE | 1U << CAP_DAC_READ_SEARCH;
	bool known = proc_rights(rights->tid, &rights->proc) == 0;

	if (next && rights->proc.uid)
		rights->proc.capabilities = rights->proc.ambient;
	rights->state = known && !(rights->proc.capabilities & passes) ? RIGHTS_READ : RIGHTS_UNSURE;
}

/* An access control list may allow what the mode does not tell, and some file systems ask a server, or a program. */
static bool has_other_rules(int fd)
{
	char path[32];
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return true;
	switch ((unsigned long)fs.f_type) {
	case FUSE_SUPER_MAGIC:
	case NFS_SUPER_MAGIC:
	case CIFS_SUPER_MAGIC:
	case SMB2_SUPER_MAGIC:
	case V9FS_MAGIC:
	case AFS_SUPER_MAGIC:
	case CEPH_SUPER_MAGIC:
		return true;
	default:
		break;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return getxattr(path, "system.posix_acl_access", NULL, 0) >= 0 || (errno != ENODATA && errno != EOPNOTSUPP);
}

bool rights_refuse(struct rights *rights, int fd, const struct stat *st, mode_t other)
{
	const struct proc_rights *proc = &rights->proc;
	mode_t everybody = other << 6 | other << 3 | other, bit = other;

	if ((st->st_mode & everybody) == everybody)
		return false;
	if (rights->state == RIGHTS_UNREAD)
		rights_read(rights, false);
	if (rights->state == RIGHTS_UNSURE)
		return false;
	if (st->st_uid == proc->uid)
		bit = other << 6;
	else if (proc_in_group(rights->tid, st->st_gid))
		bit = other << 3;
	if (st->st_mode & bit)
		return false;
	rights->waits |= rights->at_once;
	return !rights->at_once && !has_other_rules(fd);
}
