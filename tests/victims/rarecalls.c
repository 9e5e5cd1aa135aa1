/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that most programs do not make, with what they point to: for a tracer to show. Whether they succeed does not
 * matter.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <mqueue.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

static void clocks(void)
{
	struct timex timex = {.modes = 0};
	struct timex set = {.modes = ADJ_FREQUENCY | ADJ_STATUS, .status = STA_NANO};
	struct utimbuf times = {1000000000, 1700000000};

	adjtimex(&timex);
	clock_adjtime(CLOCK_MONOTONIC, &set);
	clock_adjtime(CLOCK_REALTIME, &timex);
	syscall(SYS_time, NULL);
	syscall(SYS_utime, "/nowhere", &times);
}

static void interfaces(void)
{
	static const unsigned long gets[] = {SIOCGIFFLAGS,  SIOCGIFADDR,    SIOCGIFNETMASK, SIOCGIFBRDADDR,
	                                     SIOCGIFMTU,    SIOCGIFINDEX,   SIOCGIFHWADDR,  SIOCGIFTXQLEN,
	                                     SIOCGIFMETRIC, SIOCGIFDSTADDR, SIOCGIFMAP};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq interfaces[4];
	struct ifconf conf = {.ifc_len = sizeof(interfaces), .ifc_req = interfaces};
	struct ifreq request;

	for (unsigned i = 0; i < sizeof(gets) / sizeof(gets[0]); i++) {
		memset(&request, 0, sizeof(request));
		strcpy(request.ifr_name, i % 2 ? "lo" : "none");
		ioctl(fd, gets[i], &request);
		strcpy(request.ifr_name, "lo");
		ioctl(fd, gets[i], &request);
	}
	memset(&request, 0, sizeof(request));
	request.ifr_ifindex = 1;
	ioctl(fd, SIOCGIFNAME, &request);
	request.ifr_ifindex = 0;
	ioctl(fd, SIOCGIFNAME, &request);
	ioctl(fd, SIOCGIFCONF, &conf);
	conf = (struct ifconf){.ifc_len = 0, .ifc_req = NULL};
	ioctl(fd, SIOCGIFCONF, &conf);
	strcpy(request.ifr_name, "none");
	request.ifr_flags = IFF_UP | IFF_PROMISC;
	ioctl(fd, SIOCSIFFLAGS, &request);
	request.ifr_mtu = 1500;
	ioctl(fd, SIOCSIFMTU, &request);
	request.ifr_addr = (struct sockaddr){.sa_family = AF_INET};
	ioctl(fd, SIOCSIFADDR, &request);
	close(fd);
}

static void route_socket(void)
{
	struct {
		struct nlmsghdr header;
		struct ifinfomsg link;
		struct rtattr attribute;
		unsigned mask;
	} request = {
		.header = {sizeof(request), RTM_GETLINK, NLM_F_REQUEST | NLM_F_ACK, 77, 0},
		.link = {.ifi_family = AF_UNSPEC, .ifi_index = 0x7fffffff},
		.attribute = {8, IFLA_EXT_MASK},
		.mask = 1,
	};
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	char answer[4096];

	sendto(fd, &request, sizeof(request), 0, (struct sockaddr *)&kernel, sizeof(kernel));
	recv(fd, answer, sizeof(answer), 0);
	request.header.nlmsg_type = RTM_NEWADDR;
	request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL;
	send(fd, &request, 17, MSG_DONTWAIT);
	request.header.nlmsg_len = 5;
	send(fd, &request, 20, MSG_DONTWAIT);
	close(fd);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	send(fd, &request, 20, MSG_DONTWAIT);
	close(fd);
}

static void options(void)
{
	struct ip_mreq mreq = {{htonl(0xe0000001)}, {htonl(INADDR_LOOPBACK)}};
	struct ipv6_mreq mreq6 = {IN6ADDR_LOOPBACK_INIT, 1};
	struct timeval timeout = {1, 500};
	struct packet_mreq promisc = {1, PACKET_MR_PROMISC, 6, {2, 0, 0, 0, 0, 1}};
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0), on = 1;

	setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &mreq, sizeof(mreq));
	setsockopt(fd, IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, &mreq6, sizeof(mreq6));
	setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPATHMTU, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_SAVE_SYN, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promisc, sizeof(promisc));
	setsockopt(fd, IPPROTO_IP, 250, &on, sizeof(on));
	close(fd);
}

static void control(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
	socklen_t len = sizeof(to);
	char data[2] = "x", space[256];
	struct iovec iov = {data, 1};
	struct msghdr message = {.msg_iov = &iov,
	                         .msg_iovlen = 1,
	                         .msg_control = space,
	                         .msg_controllen = sizeof(space)};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), on = 1;

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	to.sin_port = 0;
	bind(fd, (struct sockaddr *)&to, sizeof(to));
	getsockname(fd, (struct sockaddr *)&to, &len);
	setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
	setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof(on));
	setsockopt(fd, IPPROTO_IP, IP_RECVTTL, &on, sizeof(on));
	setsockopt(fd, IPPROTO_IP, IP_RECVTOS, &on, sizeof(on));
	sendto(fd, data, 1, 0, (struct sockaddr *)&to, sizeof(to));
	recvmsg(fd, &message, 0);
	close(fd);
}

union semun {
	int val;
	struct semid_ds *buf;
	unsigned short *array;
	struct seminfo *info;
};

static void queues(void)
{
	struct {
		long type;
		char text[8];
	} message = {3, "hello"};
	struct msqid_ds state;
	int id = msgget(IPC_PRIVATE, 0600);

	msgsnd(id, &message, 5, 0);
	msgrcv(id, &message, 5, 3, MSG_NOERROR);
	msgrcv(id, &message, 5, 3, IPC_NOWAIT);
	msgctl(id, IPC_STAT, &state);
	msgctl(id, IPC_RMID, NULL);
	msgctl(0, MSG_INFO, &state);
}

static void semaphores(void)
{
	struct sembuf operations[2] = {{0, 1, 0}, {1, -1, IPC_NOWAIT | SEM_UNDO}};
	struct timespec soon = {0, 1000};
	unsigned short values[2] = {4, 5};
	struct semid_ds state;
	struct seminfo info;
	int id = semget(IPC_PRIVATE, 2, IPC_CREAT | 0600);

	semop(id, operations, 2);
	semtimedop(id, operations, 2, &soon);
	semctl(id, 0, SETVAL, (union semun){.val = 7});
	semctl(id, 0, GETVAL);
	semctl(id, 0, SETALL, (union semun){.array = values});
	semctl(id, 0, GETALL, (union semun){.array = values});
	semctl(id, 0, IPC_STAT, (union semun){.buf = &state});
	semctl(0, 0, SEM_INFO, (union semun){.info = &info});
	semctl(id, 0, IPC_RMID);
}

static void segments(void)
{
	struct shmid_ds state;
	struct shminfo info;
	int id = shmget(IPC_PRIVATE, 8192, IPC_CREAT | 0640);
	void *at = shmat(id, NULL, SHM_RDONLY);

	shmctl(id, IPC_STAT, &state);
	shmctl(0, IPC_INFO, (struct shmid_ds *)&info);
	shmctl(0, SHM_INFO, (struct shmid_ds *)&info);
	shmdt(at);
	shmctl(id, IPC_RMID, NULL);
}

static void process(void)
{
	struct f_owner_ex owner = {F_OWNER_PID, getpid()};
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), value;

	fcntl(fd, F_SETOWN_EX, &owner);
	fcntl(fd, F_GETOWN_EX, &owner);
	prctl(PR_GET_CHILD_SUBREAPER, &value);
	prctl(PR_GET_TSC, &value);
	prctl(PR_SET_SECUREBITS, 0);
	prctl(PR_MCE_KILL, PR_MCE_KILL_CLEAR, 0, 0, 0);
	prctl(PR_MCE_KILL_GET, 0, 0, 0, 0);
	syscall(SYS_kcmp, getpid(), getpid(), 2, 0, 0);
	syscall(SYS_kcmp, getpid(), getpid(), 0, 0, fd);
	syscall(SYS_membarrier, 0, 0, 0);
	klogctl(9, NULL, 0);
	klogctl(10, NULL, 0);
	mremap(NULL, 0, 4096, MREMAP_MAYMOVE, NULL);
	ptrace(PTRACE_KILL, 0, 0, 0);
	ptrace(PTRACE_ATTACH, 0, 0, 0);
	close(fd);
}

/* What is received is more than there is room for. */
static void truncated(void)
{
	char bytes[8];
	int ends[2];

	socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
	for (int i = 0; i < 2; i++) {
		send(ends[0], "more than there is room for", 27, 0);
		recv(ends[1], bytes, 4, i ? MSG_TRUNC : 0);
	}
	close(ends[0]);
	close(ends[1]);
}

/* What is said of devices is text, also on a netlink socket. */
static void device_socket(void)
{
	static const char text[] = "add@/devices/virtual/none\0ACTION=add\0SEQNUM=1";
	struct sockaddr_nl self = {.nl_family = AF_NETLINK};
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT);
	socklen_t n = sizeof(self);
	char answer[100];

	bind(fd, (struct sockaddr *)&self, sizeof(self));
	getsockname(fd, (struct sockaddr *)&self, &n);
	if (sendto(fd, text, sizeof(text), 0, (struct sockaddr *)&self, n) > 0)
		recv(fd, answer, sizeof(answer), 0);
	close(fd);
}

static void flags(void)
{
	static const unsigned long mounts[] = {0, 1, 16, 0xc0ed0000, 0xc0ed0011, 1ul << 31};
	static const int swaps[] = {0, 5, 0x8000, 0x8005, 0x18005, 0x70000, 0x80000};

	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++)
		mount("none", "/nowhere", "none", mounts[i], NULL);
	for (size_t i = 0; i < sizeof(swaps) / sizeof(swaps[0]); i++)
		swapon("/nowhere", swaps[i]);
	for (int i = 1; i <= 4; i++)
		prctl(PR_CAP_AMBIENT, i, 0, 0, 0);
}

/* Names of open files that have to be escaped. */
static void names(void)
{
	static const char *const odd[] = {"a<b>", "a<7", "\"<\n>"};

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		int fd = open(odd[i], O_WRONLY | O_CREAT, 0600);

		lseek(fd, 0, SEEK_CUR);
		close(fd);
		unlink(odd[i]);
	}
}

int main(void)
{
	clocks();
	interfaces();
	route_socket();
	options();
	control();
	queues();
	semaphores();
	segments();
	truncated();
	device_socket();
	flags();
	names();
	process();
	return 0;
}
