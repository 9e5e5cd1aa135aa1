/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sockets are connected to, as the calls tell that bind, connect and accept them. */
#ifndef EXECTRACE_ANSWER_CALLS_PEERS_H
#define EXECTRACE_ANSWER_CALLS_PEERS_H

#include <exectrace/answer/recording/idmap.h>
#include <exectrace/answer/recording/pool.h>
#include <exectrace/base/buf.h>
#include <exectrace/format/data/record.h>

/* All 0 at first. */
struct peers {
	struct idmap sockets; /* by inode: struct peer */
	struct pool texts;
	uint64_t refused; /* the socket whose connect has failed with the call that was taken last; 0: none has */
};

/* Notes what a call says of sockets; others are passed over. 0 or -ENOMEM. */
int peers_take(struct peers *peers, const struct data_syscall *call);

/*
 * What a socket is connected to, or was to be by the call that was taken last, else what it is bound to:
 * "UNIX:run/s.sock", "UNIX:@name", "TCP:127.0.0.1:8080", "UDP:[::1]:53". An accepted socket has the address that its
 * listener is bound to. NULL: unknown.
 */
const char *peers_find(const struct peers *peers, uint64_t inode);

void peers_release(struct peers *peers);

/* A call with its descriptors as people know them; all 0 at first. */
struct shown_call {
	struct data_syscall call; /* texts are in here and in the call that it was made of */
	struct data_extra extras[DATA_EXTRAS_MAX];
	struct buf text; /* private */
};

/*
 * Makes to->call of a call: descriptors of sockets get the names of their peers, "<socket:[4711]>" becomes
 * "<UNIX:run/s.sock>"; those of files below dir (NULL: of none) get names relative to it. 0 or -ENOMEM.
 */
int shown_call_make(struct shown_call *to, const struct data_syscall *call, const struct peers *peers, const char *dir);

void shown_call_release(struct shown_call *shown);

/*
 * Makes a path, perhaps of a socket ("UNIX:/tmp/s"), one relative to dir when it is below it: "run/s", "." for dir
 * itself. Others stay, and all when dir is NULL or "/".
 */
void path_shorten(struct buf *path, const char *dir);

#endif
