/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oddcalls
 * Calls whose arguments are odd: the upper half of a register of an int is not zero, sizes are not those that the
 * kernel has, memory ends in the middle, the kernel overwrites what it was given. That they fail is as good: the same
 * call is made each time.
 */
#include "victim.h"
#include <arpa/inet.h>
#include <linux/keyctl.h>
#include <linux/netlink.h>
#include <linux/perf_event.h>
#include <linux/rtnetlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <time.h>

#define JUNK 0xdeadbeef00000000ul
#define PAGE 4096
#ifndef PERF_ATTR_SIZE_VER7
#define PERF_ATTR_SIZE_VER7 128
#endif

static char *end_of_memory(void)
{
	char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(pages + PAGE, PAGE);
	memset(pages, 'q', PAGE);
	return pages + PAGE;
}

static int local_socket(struct sockaddr_in *address)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	socklen_t n = sizeof(*address);

	*address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	bind(fd, (struct sockaddr *)address, sizeof(*address));
	getsockname(fd, (struct sockaddr *)address, &n);
	return fd;
}

/* The kernel stores the time that is left, and names that are longer than there is room for. */
static void messages(void)
{
	struct sockaddr_in to, from, names[3];
	int receiver = local_socket(&to), sender = local_socket(&from);
	struct timespec time = {0, 50000000};
	struct mmsghdr messages[3] = {0};
	struct iovec iov[3];
	char bytes[3][16];

	sendto(sender, "one", 3, 0, (struct sockaddr *)&to, sizeof(to));
	sendto(sender, "two!", 4, 0, (struct sockaddr *)&to, sizeof(to));
	memset(names, 'x', sizeof(names));
	for (int i = 0; i < 3; i++) {
		iov[i] = (struct iovec){bytes[i], sizeof(bytes[i])};
		messages[i].msg_hdr = (struct msghdr){.msg_iov = &iov[i],
		                                      .msg_iovlen = 1,
		                                      .msg_name = &names[i],
		                                      .msg_namelen = i ? 16 : 2};
	}
	recvmmsg(receiver, messages, 3, MSG_WAITFORONE, &time);
	recvmmsg(receiver, messages, 3, MSG_DONTWAIT, &time);
}

static void counters(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.freq = 1,
		.sample_freq = 99,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
		.read_format = PERF_FORMAT_ID,
		.disabled = 1,
		.exclude_kernel = 1,
	};

	attr.size = PERF_ATTR_SIZE_VER7;
	syscall(SYS_perf_event_open, &attr, 0, -1, -1, JUNK);
	attr = (struct perf_event_attr){.size = PERF_ATTR_SIZE_VER0,
	                                .type = PERF_TYPE_HARDWARE,
	                                .config = PERF_COUNT_HW_INSTRUCTIONS,
	                                .sample_period = 1000,
	                                .precise_ip = 2};
	syscall(SYS_perf_event_open, &attr, 0, -1, -1, JUNK);
	attr = (struct perf_event_attr){.size = PERF_ATTR_SIZE_VER1, .type = PERF_TYPE_HW_CACHE, .config = 0x10002};
	syscall(SYS_perf_event_open, &attr, 0, -1, -1, JUNK);
	attr = (struct perf_event_attr){.size = 12};
	syscall(SYS_perf_event_open, &attr, 0, -1, -1, JUNK);
}

static void ignore(int sig)
{
	(void)sig;
}

/* Nothing is stored as left of a time that is absolute. */
static void interrupted(void)
{
	const struct itimerval soon = {.it_value = {0, 20000}};
	struct timespec until, left = {77, 88};

	signal(SIGALRM, ignore);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += 50;
	setitimer(ITIMER_REAL, &soon, NULL);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, &left);
}

static void upper_halves(void)
{
	uint32_t action = SECCOMP_RET_TRACE;

	syscall(SYS_fcntl, JUNK | 1, JUNK | F_GETFD, 0);
	syscall(SYS_reboot, JUNK | 1, JUNK | 2, JUNK | 3, 0);
	syscall(SYS_prctl, JUNK | PR_SET_NAME, "odd");
	syscall(SYS_prctl, PR_SET_VMA, JUNK, 0, 0, 0);
	syscall(SYS_seccomp, JUNK | SECCOMP_GET_ACTION_AVAIL, 0, &action);
	syscall(SYS_membarrier, JUNK | 1 << 20, JUNK, 0);
	syscall(SYS_fsconfig, JUNK | 0xffffffff, JUNK | 1, "key", "value", 0);
	syscall(SYS_keyctl, JUNK | KEYCTL_READ, JUNK | 1, &action, JUNK | 10);
	syscall(SYS_set_mempolicy, JUNK, 0, 0);
}

static void sizes(void)
{
	uint64_t how[3] = {JUNK | O_RDONLY}, rules[4] = {1}, clone[8] = {[4] = JUNK | SIGCHLD},
		 mount[4] = {0, 0, MS_PRIVATE, JUNK | 5}, nodes[2] = {1, 2};
	uint32_t attr[16] = {8};

	syscall(SYS_openat2, AT_FDCWD, "/dev/null", how, sizeof(how));
	syscall(SYS_clone3, clone, sizeof(clone));
	syscall(SYS_mount_setattr, -1, "nowhere", 0, mount, sizeof(mount));
	syscall(SYS_sched_setattr, 0, attr, 0);
	attr[0] = 4096;
	syscall(SYS_sched_setattr, 0, attr, 0);
	syscall(SYS_landlock_create_ruleset, rules, 8, 1 << 9);
	syscall(SYS_landlock_create_ruleset, rules, 4, 0);
	syscall(SYS_mbind, 0, PAGE, 1, nodes, 129, 0);
	syscall(SYS_shmget, JUNK | 5, PAGE, 0600 | SHM_HUGETLB | 21 << 26);
}

static void ends(void)
{
	char *end = end_of_memory();
	struct iovec beyond = {end, 5}, across = {end - 6, 8}, within = {end - PAGE, 3};

	process_vm_writev(getpid(), &beyond, 1, &within, 1, 0);
	process_vm_writev(getpid(), &across, 1, &within, 1, 0);
	process_vm_readv(getpid(), &beyond, 1, &within, 1, 0);
	readv(-1, &within, 1);
	syscall(SYS_sethostname, end, JUNK | 5);
}

/* What netlink sockets are sent, of which nothing or not all can be read, or which is too short. */
static void netlink(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	char *end = end_of_memory();
	struct nlmsghdr *header = (struct nlmsghdr *)(end - sizeof(*header));

	*header = (struct nlmsghdr){.nlmsg_len = 40, .nlmsg_type = RTM_GETLINK, .nlmsg_flags = NLM_F_REQUEST};
	sendto(fd, header, 40, 0, NULL, 0);
	header = (struct nlmsghdr *)(end - 24);
	for (unsigned n = 18; n <= 22; n += 2) {
		*header = (struct nlmsghdr){.nlmsg_len = n, .nlmsg_type = NLMSG_ERROR};
		sendto(fd, header, n, 0, NULL, 0);
	}
	*header = (struct nlmsghdr){.nlmsg_len = 16,
	                            .nlmsg_type = RTM_DELACTION,
	                            .nlmsg_flags = NLM_F_REQUEST | NLM_F_ROOT};
	sendto(fd, header, 16, 0, NULL, 0);
}

int main(void)
{
	struct timex time = {0};

	adjtimex(&time);
	messages();
	counters();
	interrupted();
	upper_halves();
	sizes();
	ends();
	netlink();
	return 0;
}
