/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answered
 * Commands of ioctl that devices answer. There are none: the tracer is to say that they succeed (--inject), and what
 * they would have filled in is there before.
 */
#include "victim.h"

#include <linux/blkpg.h>
#include <linux/blktrace_api.h>
#include <linux/bsg.h>
#include <linux/fs.h>
#include <linux/gpio.h>
#include <linux/hdreg.h>
#include <linux/input.h>
#include <linux/perf_event.h>
#include <linux/random.h>
#include <linux/rtc.h>
#include <linux/seccomp.h>
#include <linux/tee.h>
#include <linux/userfaultfd.h>
#include <scsi/sg.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>

static void gpio(void)
{
	static struct gpioline_info old = {.line_offset = 3, .flags = GPIOLINE_FLAG_KERNEL, .name = "line"};
	static struct gpio_v2_line_info info = {.offset = 5, .num_attrs = 3, .flags = GPIO_V2_LINE_FLAG_USED};
	static struct gpio_v2_line_request request = {.offsets = {7, 9, 11}, .num_lines = 2, .fd = 42};
	static struct gpio_v2_line_values values = {.mask = 6, .bits = 4};

	strcpy(info.name, "in use");
	info.attrs[0].id = GPIO_V2_LINE_ATTR_ID_DEBOUNCE;
	info.attrs[0].debounce_period_us = 77;
	info.attrs[1].id = 99;
	info.attrs[1].values = 0x1234;
	info.attrs[2].id = GPIO_V2_LINE_ATTR_ID_FLAGS;
	info.attrs[2].padding = 1;
	request.config.num_attrs = 2;
	request.config.attrs[0].attr.id = GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES;
	request.config.attrs[0].attr.values = 3;
	request.config.attrs[0].mask = 1;
	request.config.attrs[1].attr.padding = 2;
	ioctl(-1, GPIO_GET_LINEINFO_IOCTL, &old);
	ioctl(-1, GPIO_V2_GET_LINEINFO_IOCTL, &info);
	ioctl(-1, GPIO_V2_GET_LINE_IOCTL, &request);
	request.event_buffer_size = 16;
	ioctl(-1, GPIO_V2_GET_LINE_IOCTL, &request);
	ioctl(-1, GPIO_V2_LINE_GET_VALUES_IOCTL, &values);
	ioctl(-1, GPIO_V2_LINE_SET_VALUES_IOCTL, &values);
}

static void input(void)
{
	static struct ff_effect effect = {.type = FF_RUMBLE, .id = -1, .u.rumble = {1, 2}};
	static struct input_absinfo axis = {1, -2, 3, 4, 5, 6};
	static struct input_keymap_entry key = {.len = 2, .keycode = KEY_ESC};
	static unsigned long bits[16] = {1 << KEY_1 | 1 << KEY_2 | 1 << KEY_3 | 1 << KEY_4 | 1 << KEY_5};
	static unsigned slots[3] = {ABS_MT_SLOT, 1, 3}, pair[2] = {5, KEY_A};

	ioctl(-1, EVIOCGABS(ABS_X), &axis);
	ioctl(-1, _IOC(_IOC_READ, 'E', 0x40 + ABS_Y, 20), &axis);
	ioctl(-1, _IOC(_IOC_READ, 'E', 0x40 + ABS_Y, 19), &axis);
	ioctl(-1, EVIOCSABS(ABS_X), &axis);
	ioctl(-1, EVIOCGBIT(0, 8), bits);
	ioctl(-1, EVIOCGBIT(EV_KEY, 96), bits);
	ioctl(-1, EVIOCGBIT(EV_REL, 4), bits);
	ioctl(-1, EVIOCGKEY(96), bits);
	ioctl(-1, EVIOCGLED(8), bits);
	ioctl(-1, EVIOCGSW(8), bits);
	ioctl(-1, EVIOCGNAME(8), "a mouse");
	ioctl(-1, EVIOCGMTSLOTS(12), slots);
	ioctl(-1, EVIOCGMTSLOTS(3), slots);
	ioctl(-1, EVIOCGKEYCODE, pair);
	ioctl(-1, EVIOCSKEYCODE_V2, &key);
	ioctl(-1, EVIOCSFF, &effect);
	effect.type = FF_CONSTANT;
	ioctl(-1, EVIOCSFF, &effect);
	effect.type = FF_PERIODIC;
	ioctl(-1, EVIOCSFF, &effect);
	effect.type = FF_SPRING;
	ioctl(-1, EVIOCSFF, &effect);
}

static void disks(void)
{
	static struct blkpg_partition partition = {.start = 512, .length = 1024, .pno = 1, .devname = "sda1"};
	static struct blkpg_ioctl_arg arg = {.op = BLKPG_ADD_PARTITION,
	                                     .flags = -1,
	                                     .datalen = 152,
	                                     .data = &partition};
	static struct blk_user_trace_setup setup = {.name = "sda", .buf_size = 4096, .act_mask = 3};
	static struct hd_geometry geometry = {1, 2, 3, 4};
	static unsigned char command[4 + 512] = {0xec, 0, 0, 1, 'x'};
	static unsigned long nice = 1 << IDE_NICE_1 | 1 << IDE_NICE_0, state = BUSSTATE_TRISTATE;
	static char identity[512] = "identity";
	int three[3] = {1, 2, 3};

	ioctl(-1, BLKPG, &arg);
	arg.data = NULL;
	ioctl(-1, BLKPG, &arg);
	ioctl(-1, BLKTRACESETUP, &setup);
	ioctl(-1, BLKTRACESTOP);
	if (sizeof(long) == 4)
		return; /* strace has no 32-bit ones of the others */
	ioctl(-1, HDIO_GETGEO, &geometry);
	ioctl(-1, HDIO_DRIVE_CMD, command);
	command[3] = 0;
	ioctl(-1, HDIO_DRIVE_CMD, command);
	ioctl(-1, HDIO_DRIVE_CMD, NULL);
	ioctl(-1, HDIO_GET_NICE, &nice);
	ioctl(-1, HDIO_SET_NICE, 0x100000011);
	ioctl(-1, HDIO_GET_BUSSTATE, &state);
	ioctl(-1, HDIO_SET_BUSSTATE, 0x100000001);
	ioctl(-1, HDIO_GET_IDENTITY, identity);
	ioctl(-1, HDIO_DRIVE_RESET, three);
	ioctl(-1, HDIO_GET_QDMA, NULL);
}

/* Commands in the form of scsi/sg.h: their data in one piece, in several, and what cannot be right. */
static unsigned char said[64] = "what the drive says, or is told; it is longer than is shown",
		     inquiry[6] = {0x12, [4] = 96};
static struct iovec pieces[] = {{said, 3}, {said + 3, 2}, {said + 5, 40}};

static void transfer(struct sg_io_hdr *io, int direction, void *data, unsigned iovecs, int residue)
{
	io->dxfer_direction = direction;
	io->dxferp = data;
	io->iovec_count = (unsigned short)iovecs;
	io->resid = residue;
	ioctl(-1, SG_IO, io);
}

static void scsi(void)
{
	static struct sg_io_hdr io = {'S', 0, 6, 8, 0, 5, NULL, inquiry, said + 40, 1000};
	void *nowhere = (void *)16;

	io.status = 2;
	io.sb_len_wr = 4;
	io.flags = SG_FLAG_DIRECT_IO | 0x20;
	io.info = SG_INFO_CHECK;
	transfer(&io, SG_DXFER_FROM_DEV, said, 0, 1);
	transfer(&io, SG_DXFER_NONE, said, 0, 1);
	transfer(&io, SG_DXFER_TO_DEV, said, 0, 1);
	transfer(&io, SG_DXFER_TO_FROM_DEV, said, 0, 1);
	transfer(&io, 7, said, 0, 1);
	io.dxfer_len = 45;
	transfer(&io, SG_DXFER_TO_FROM_DEV, pieces, 3, -1);
	transfer(&io, SG_DXFER_FROM_DEV, pieces, 3, 42);
	transfer(&io, SG_DXFER_FROM_DEV, pieces, 3, 45);
	transfer(&io, SG_DXFER_FROM_DEV, said, 0, 45);
	transfer(&io, SG_DXFER_FROM_DEV, said, 0, 0);
	io.cmdp = io.sbp = NULL;
	transfer(&io, SG_DXFER_TO_FROM_DEV, nowhere, 0, 0);
	io.cmdp = inquiry;
	io.sbp = said;
	io.cmd_len = io.mx_sb_len = io.sb_len_wr = 0;
	io.flags = io.info = 0;
	transfer(&io, SG_DXFER_TO_FROM_DEV, NULL, 3, 0);
	io.dxfer_len = 0;
	transfer(&io, SG_DXFER_TO_FROM_DEV, &pieces[2], 1, 0);
	io.interface_id = 'T';
	ioctl(-1, SG_IO, &io);
	ioctl(-1, SG_IO, nowhere);
	ioctl(-1, SG_IO, NULL);
}

/* The same in the form of linux/bsg.h. */
static void bsg(void)
{
	static struct sg_io_v4 io = {.guard = 'Q',
	                             .subprotocol = 3,
	                             .request_len = 6,
	                             .max_response_len = 8,
	                             .timeout = 7};

	io.request = (uintptr_t)said;
	io.response = (uintptr_t)(said + 8);
	io.response_len = 4;
	io.din_xferp = (uintptr_t)said;
	io.din_xfer_len = 40;
	io.din_resid = 36;
	ioctl(-1, SG_IO, &io);
	io.din_resid = 40;
	io.dout_xferp = io.request;
	io.dout_xfer_len = 40;
	io.dout_resid = 39;
	io.request = 0;
	io.flags = BSG_FLAG_Q_AT_TAIL;
	io.generated_tag = 0x1234567890;
	ioctl(-1, SG_IO, &io);
	io.din_xferp = io.dout_xferp = (uintptr_t)pieces;
	io.din_iovec_count = io.dout_iovec_count = 2;
	io.din_resid = 38;
	io.response_len = 0;
	ioctl(-1, SG_IO, &io);
	io.din_resid = -1;
	io.protocol = 1;
	io.request_len = 0;
	io.request = io.response;
	io.spare_in = 5;
	io.padding = 6;
	ioctl(-1, SG_IO, &io);
}

/* Buffers for a trusted execution environment: as they have to be, and of another length than what is in them. */
static void trusted(void)
{
	static struct {
		struct tee_ioctl_open_session_arg session;
		struct tee_ioctl_param params[3];
	} open = {{.uuid = {1, 2, 3}, .clnt_uuid = {4, 5}, .session = 9, .ret = 0xffff000a, .ret_origin = 2},
	          {{TEE_IOCTL_PARAM_ATTR_TYPE_NONE, 1, 2, 3},
	           {TEE_IOCTL_PARAM_ATTR_TYPE_VALUE_INOUT, 4, 5, 0},
	           {TEE_IOCTL_PARAM_ATTR_TYPE_MEMREF_OUTPUT, 4, 5, 7}}};
	static struct tee_iocl_supp_recv_arg receive = {.func = 5};
	struct tee_ioctl_buf_data buffer = {(uintptr_t)&open, sizeof(open)};

	open.session.num_params = 3;
	for (open.session.clnt_login = 0; open.session.clnt_login < 8; open.session.clnt_login++)
		ioctl(-1, TEE_IOC_OPEN_SESSION, &buffer);
	buffer.buf_len--;
	ioctl(-1, TEE_IOC_OPEN_SESSION, &buffer);
	open.session.ret_origin = 1; /* num_params of struct tee_ioctl_invoke_arg lies elsewhere */
	ioctl(-1, TEE_IOC_INVOKE, &buffer);
	buffer = (struct tee_ioctl_buf_data){(uintptr_t)&receive, sizeof(receive)};
	ioctl(-1, TEE_IOC_SUPPL_RECV, &buffer);
	ioctl(-1, TEE_IOC_SUPPL_SEND, &buffer);
	buffer.buf_ptr = 16;
	ioctl(-1, TEE_IOC_SUPPL_SEND, &buffer);
	ioctl(-1, TEE_IOC_SUPPL_SEND, NULL);
}

static void others(void)
{
	static struct seccomp_notif zero, notification = {.id = 7, .pid = 8, .data = {__NR_gettid, 0xc000003e, 9, {1}}};
	static struct seccomp_notif_resp response = {.id = 7, .error = -EACCES, .flags = 1};
	static struct seccomp_notif_addfd added = {.id = 7, .flags = 3, .srcfd = 2, .newfd_flags = O_CLOEXEC};
	static struct uffdio_api api = {.api = UFFD_API, .features = UFFD_FEATURE_SIGBUS, .ioctls = 1};
	static struct uffdio_copy copy = {.dst = 4096, .src = 8192, .len = 77, .copy = 77};
	static struct rtc_param parameter = {.param = RTC_PARAM_FEATURES, .uvalue = 3, .index = 1};
	static unsigned programs[5] = {3, 2, 5, 6};      /* struct perf_event_query_bpf */
	static int pool[4] = {3, 5, 0x646e6172, 0x6d6f}; /* struct rand_pool_info */
	static struct perf_event_attr attr = {.size = PERF_ATTR_SIZE_VER5,
	                                      .type = PERF_TYPE_RAW,
	                                      .config = 0x1c2,
	                                      .sample_period = 77,
	                                      .wakeup_events = 3,
	                                      .sample_max_stack = 9};
	unsigned long long id = 0x123456789;

	ioctl(-1, SECCOMP_IOCTL_NOTIF_RECV, &zero);
	ioctl(-1, SECCOMP_IOCTL_NOTIF_RECV, &notification);
	ioctl(-1, SECCOMP_IOCTL_NOTIF_SEND, &response);
	ioctl(-1, SECCOMP_IOCTL_NOTIF_ADDFD, &added);
	ioctl(-1, UFFDIO_API, &api);
	ioctl(-1, UFFDIO_COPY, &copy);
	ioctl(-1, UFFDIO_COPY, NULL);
	ioctl(-1, RTC_PARAM_GET, &parameter);
	ioctl(-1, RTC_PARAM_SET, &parameter);
	parameter.param = RTC_PARAM_CORRECTION;
	parameter.svalue = -5;
	ioctl(-1, RTC_PARAM_GET, &parameter);
	parameter.param = 0x100000000;
	parameter.__pad = 1;
	ioctl(-1, RTC_PARAM_GET, &parameter);
	ioctl(-1, PERF_EVENT_IOC_QUERY_BPF, programs);
	ioctl(-1, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr);
	attr.size = PERF_ATTR_SIZE_VER0 - 8;
	ioctl(-1, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr);
	ioctl(-1, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, NULL);
	ioctl(-1, PERF_EVENT_IOC_ID, &id);
	ioctl(-1, PERF_EVENT_IOC_SET_FILTER, "a filter");
	ioctl(-1, RNDADDENTROPY, pool);
}

int main(void)
{
	gpio();
	input();
	disks();
	scsi();
	bsg();
	trusted();
	others();
	return 0;
}
