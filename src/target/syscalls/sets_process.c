/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values of sets-process.inc. A file of its own, as headers that define such names do not all go together. */
#include <exectrace/target/syscalls/schema.h>

#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#define SETS "exectrace/target/syscalls/sets-process.inc"
#define SETS_NAME sets_process
#include "sets.inc"
