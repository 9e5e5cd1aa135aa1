/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values of sets-file.inc. A file of its own, as headers that define such names do not all go together. */
#include <exectrace/target/syscalls/schema.h>

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <termios.h>
#include <unistd.h>

#define SETS "exectrace/target/syscalls/sets-file.inc"
#define SETS_NAME sets_file
#include "sets.inc"
