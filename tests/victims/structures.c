/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * structures
 * Commands of ioctl whose structures depend on what they hold: members of unions, arrays that are counted or pointed
 * to, members that the kernel fills in. The descriptor is none; a test lets the tracer answer.
 */
#include "victim.h"

#include <asm/termbits.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/lirc.h>
#include <linux/loop.h>
#include <linux/videodev2.h>
#include <mtd/mtd-user.h>
#include <mtd/ubi-user.h>
#include <sys/ioctl.h>
#include <sys/timex.h>

static void formats(void)
{
	static struct v4l2_clip clips[] = {{.c = {1, 2, 3, 4}}, {.c = {5, 6, 7, 8}}};
	static const unsigned types[] = {V4L2_BUF_TYPE_VIDEO_OUTPUT,  V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE,
	                                 V4L2_BUF_TYPE_VIDEO_OVERLAY, V4L2_BUF_TYPE_SLICED_VBI_CAPTURE,
	                                 V4L2_BUF_TYPE_META_CAPTURE,  V4L2_BUF_TYPE_VBI_CAPTURE,
	                                 V4L2_BUF_TYPE_SDR_CAPTURE,   77};
	struct v4l2_create_buffers buffers = {.index = 4, .count = 2, .memory = V4L2_MEMORY_MMAP};

	for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct v4l2_format format = {.type = types[i]};

		if (types[i] == V4L2_BUF_TYPE_VIDEO_OVERLAY) {
			format.fmt.win.clips = clips;
			format.fmt.win.clipcount = 2;
		} else if (types[i] == V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE) {
			format.fmt.pix_mp.num_planes = 2;
		} else {
			format.fmt.pix.width = 640;
			format.fmt.pix.pixelformat = V4L2_PIX_FMT_YUYV;
		}
		ioctl(-1, VIDIOC_G_FMT, &format);
		ioctl(-1, VIDIOC_S_FMT, &format);
		buffers.format = format;
		ioctl(-1, VIDIOC_CREATE_BUFS, &buffers);
	}
	ioctl(-1, VIDIOC_S_FMT, 16);
}

static void controls(void)
{
	static char word[] = "word";
	struct v4l2_ext_control list[] = {{.id = V4L2_CID_BRIGHTNESS, .value64 = -5},
	                                  {.id = V4L2_CID_CONTRAST, .size = sizeof(word), .string = word}};
	struct v4l2_ext_controls all = {.ctrl_class = V4L2_CTRL_CLASS_USER, .count = 2, .controls = list};
	struct v4l2_control control = {.id = V4L2_CID_BASE + 200, .value = 3};
	struct v4l2_queryctrl query = {.id = V4L2_CID_GAMMA | V4L2_CTRL_FLAG_NEXT_CTRL, .name = "gamma"};
	struct v4l2_requestbuffers request = {.count = 8, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = 9};
	struct v4l2_frmivalenum interval = {.type = V4L2_FRMIVAL_TYPE_DISCRETE, .discrete = {1, 25}};
	__attribute__((unused)) struct v4l2_buffer buffer = {.memory = V4L2_MEMORY_USERPTR, .flags = 0x12005};

	ioctl(-1, VIDIOC_G_EXT_CTRLS, &all);
	ioctl(-1, VIDIOC_S_EXT_CTRLS, &all);
	all.controls = NULL;
	ioctl(-1, VIDIOC_S_EXT_CTRLS, &all);
	ioctl(-1, VIDIOC_G_CTRL, &control);
	ioctl(-1, VIDIOC_S_CTRL, &control);
	ioctl(-1, VIDIOC_QUERYCTRL, &query);
	ioctl(-1, VIDIOC_REQBUFS, &request);
	ioctl(-1, VIDIOC_ENUM_FRAMEINTERVALS, &interval);
#ifdef __x86_64__ /* strace names them otherwise where a time has 32 bits */
	ioctl(-1, VIDIOC_QUERYBUF, &buffer);
	ioctl(-1, VIDIOC_DQBUF, &buffer);
#endif
	ioctl(-1, VIDIOC_EXPBUF, NULL);
}

static void others(void)
{
	struct {
		struct fiemap head;
		struct fiemap_extent extents[2];
	} map = {.head = {.fm_mapped_extents = 2, .fm_extent_count = 2},
	         .extents = {{.fe_logical = 5}, {.fe_flags = 1}}};
	struct fsxattr attributes = {.fsx_xflags = FS_XFLAG_DAX, .fsx_nextents = 3};
	struct loop_info64 loop = {.lo_encrypt_type = LO_CRYPT_DES, .lo_encrypt_key_size = 4, .lo_encrypt_key = "key"};
	__attribute__((unused)) struct region_info_user region = {.regionindex = 1, .numblocks = 2};
	struct nand_oobinfo oob = {.useecc = MTD_NANDECC_PLACE, .oobfree = {{1, 2}}};
	struct ubi_attach_req attach = {.ubi_num = 4};
	struct ubi_mkvol_req volume = {.vol_type = UBI_STATIC_VOLUME, .name_len = 2, .name = "volume"};
	static struct ubi_rnvol_req names = {.count = 2, .ents = {{1, 3, {0}, "one"}, {2, -1, {0}, "two"}}};
	struct termios2 terminal = {.c_iflag = IGNBRK, .c_oflag = OPOST | XTABS, .c_lflag = ECHO};
	unsigned mode = LIRC_MODE_SCANCODE;

	terminal.c_cflag = B9600 | CS8 | CREAD | B4800 << IBSHIFT;
	ioctl(-1, FS_IOC_FIEMAP, &map);
	ioctl(-1, FS_IOC_FSGETXATTR, &attributes);
	ioctl(-1, LOOP_SET_STATUS64, &loop);
#ifdef __x86_64__
	ioctl(-1, MEMGETREGIONINFO, &region);
#endif
	ioctl(-1, MEMGETOOBSEL, &oob);
	ioctl(-1, UBI_IOCATT, &attach);
	ioctl(-1, UBI_IOCMKVOL, &volume);
	ioctl(-1, UBI_IOCRNVOL, &names);
	ioctl(-1, TCSETS2, &terminal);
	ioctl(-1, LIRC_SET_REC_MODE, &mode);
}

int main(void)
{
	struct timex time = {0};

	adjtimex(&time); /* the tests look at what comes behind it */
	formats();
	controls();
	others();
	return 0;
}
