/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * devcalls
 * Commands of ioctl with the structures that they take, and messages of netlink with attributes in attributes. Nothing
 * is there that answers: the descriptor is none, and the messages are refused. What was given is shown all the same.
 */
#include "victim.h"

#include <linux/fib_rules.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/gpio.h>
#include <linux/if_link.h>
#include <linux/input.h>
#include <linux/kd.h>
#include <linux/loop.h>
#include <linux/nbd.h>
#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <linux/packet_diag.h>
#include <linux/random.h>
#include <linux/rtc.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <linux/userfaultfd.h>
#include <linux/watchdog.h>
#include <mtd/ubi-user.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <termios.h>

#include "netlinkcalls.h"

static void commands(void)
{
	static struct fsxattr attributes = {.fsx_xflags = FS_XFLAG_IMMUTABLE | FS_XFLAG_NODUMP, .fsx_extsize = 4096};
	static struct fstrim_range range = {.start = 0x1000, .len = 77, .minlen = 5};
	static struct gpiohandle_request lines = {.lineoffsets = {3, 5, 7}, .lines = 3, .default_values = {1, 0, 1}};
	static struct rtc_time when =
		{.tm_sec = 1, .tm_min = 2, .tm_hour = 3, .tm_mday = 4, .tm_mon = 5, .tm_year = 126};
	static struct ubi_attach_req attach = {.ubi_num = -1, .mtd_num = 3, .vid_hdr_offset = 512};
	static struct winsize size = {25, 80, 0, 0};
	int flags = FS_NODUMP_FL, modem = TIOCM_DTR | TIOCM_RTS, n = 3;

	lines.flags = GPIOHANDLE_REQUEST_OUTPUT | GPIOHANDLE_REQUEST_ACTIVE_LOW;
	strcpy(lines.consumer_label, "victim");
	ioctl(-1, FS_IOC_FSSETXATTR, &attributes);
	ioctl(-1, FS_IOC_FSGETXATTR, &attributes);
	ioctl(-1, FITRIM, &range);
	ioctl(-1, FITRIM, NULL);
	ioctl(-1, FS_IOC_SETFLAGS, &flags);
	ioctl(-1, GPIO_GET_LINEHANDLE_IOCTL, &lines);
	ioctl(-1, RTC_SET_TIME, &when);
	ioctl(-1, RTC_AIE_ON);
	ioctl(-1, UBI_IOCATT, &attach);
	ioctl(-1, TIOCSWINSZ, &size);
	ioctl(-1, TIOCMSET, &modem);
	ioctl(-1, TIOCSTI, "x");
	ioctl(-1, RNDADDTOENTCNT, &n);
	ioctl(-1, NBD_SET_BLKSIZE, 4096ul);
	ioctl(-1, NBD_SET_FLAGS, NBD_FLAG_HAS_FLAGS | NBD_FLAG_READ_ONLY);
	ioctl(-1, NBD_DO_IT);
	ioctl(-1, WDIOC_KEEPALIVE);
	ioctl(-1, LOOP_SET_CAPACITY);
	ioctl(-1, BLKFLSBUF);
	ioctl(-1, EVIOCGNAME(80), NULL);
	ioctl(-1, EVIOCGABS(ABS_MT_SLOT), NULL);
	ioctl(-1, EVIOCGBIT(EV_KEY, 96), NULL);
	ioctl(-1, _IOC(_IOC_READ, 0xfe, 1, 2), 0);
}

static void routes(void)
{
	int fd = netlink(NETLINK_ROUTE);
	uint32_t one = 1, table = RT_TABLE_MAIN;
	struct nlattr *outer;
	struct message m;

	begin(&m, RTM_GETNEIGH, NLM_F_REQUEST, sizeof(struct ndmsg));
	((struct ndmsg *)m.rest)->ndm_ifindex = 1;
	attribute(&m, NDA_LLADDR, "\1\2\3\4\5\6", 6);
	attribute(&m, NDA_PROBES, &one, 4);
	attribute(&m, NDA_PROBES, &one, 3);
	ask(fd, &m);
	begin(&m, RTM_GETRULE, NLM_F_REQUEST, sizeof(struct fib_rule_hdr));
	((struct fib_rule_hdr *)m.rest)->family = AF_INET;
	attribute(&m, FRA_SRC, "\177\0\0\1", 4);
	attribute(&m, FRA_IIFNAME, "lo", 3);
	attribute(&m, FRA_TABLE, &table, 4);
	ask(fd, &m);
	begin(&m, RTM_GETLINK, NLM_F_REQUEST, sizeof(struct ifinfomsg));
	attribute(&m, IFLA_IFNAME, "lo", 3);
	outer = attribute(&m, IFLA_LINKINFO, "", 0);
	attribute(&m, IFLA_INFO_KIND, "veth", 5);
	outer->nla_len = (uint16_t)((char *)&m + m.header.nlmsg_len - (char *)outer);
	ask(fd, &m);
	begin(&m, RTM_GETROUTE, NLM_F_REQUEST, sizeof(struct rtmsg));
	((struct rtmsg *)m.rest)->rtm_family = AF_INET6;
	outer = attribute(&m, RTA_METRICS, "", 0);
	attribute(&m, RTAX_MTU, &one, 4);
	attribute(&m, RTAX_CC_ALGO, "cubic", 6);
	outer->nla_len = (uint16_t)((char *)&m + m.header.nlmsg_len - (char *)outer);
	ask(fd, &m);
	close(fd);
}

static void sockets(void)
{
	int fd = netlink(NETLINK_SOCK_DIAG);
	uint32_t memory[] = {1, 2, 3};
	struct unix_diag_msg *unix_socket;
	struct message m;

	begin(&m, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP, sizeof(struct unix_diag_msg));
	unix_socket = (void *)m.rest;
	unix_socket->udiag_family = AF_UNIX;
	unix_socket->udiag_type = SOCK_STREAM;
	unix_socket->udiag_state = 10;
	attribute(&m, UNIX_DIAG_NAME, "/run/x", 7);
	attribute(&m, UNIX_DIAG_MEMINFO, memory, sizeof(memory));
	ask(fd, &m);
	close(fd);
}

/* What is known of a socket of packets: the filter that it has, whole, with a piece of an instruction, and too short.
 */
static void packets(void)
{
	int fd = netlink(NETLINK_SOCK_DIAG);
	struct sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 12),
	                               BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x800, 0, 1),
	                               BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)(SKF_AD_OFF + SKF_AD_PKTTYPE)),
	                               BPF_STMT(BPF_RET | BPF_K, 0x40000)};
	struct message m;

	begin(&m, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP, sizeof(struct packet_diag_msg));
	m.rest[0] = AF_PACKET;
	attribute(&m, PACKET_DIAG_FILTER, filter, sizeof(filter));
	attribute(&m, PACKET_DIAG_FILTER, filter, 12);
	attribute(&m, PACKET_DIAG_FILTER, filter, 7);
	attribute(&m, PACKET_DIAG_FILTER, filter, 0);
	ask(fd, &m);
	close(fd);
}

static void filters(void)
{
	int fd = netlink(NETLINK_NETFILTER);
	struct message m;

	begin(&m, 10 << 8 | 0, NLM_F_REQUEST | NLM_F_CREATE, 4); /* NFNL_SUBSYS_NFTABLES, NFT_MSG_NEWTABLE */
	m.rest[0] = AF_INET;
	attribute(&m, 1, "t", 2);
	ask(fd, &m);
	begin(&m, 1 << 8 | 1, NLM_F_DUMP, 0); /* NFNL_SUBSYS_CTNETLINK, IPCTNL_MSG_CT_GET */
	ask(fd, &m);
	close(fd);
}

int main(void)
{
	struct timex time = {0};

	adjtimex(&time); /* the tests look at what comes behind it */
	commands();
	routes();
	sockets();
	packets();
	filters();
	return 0;
}
