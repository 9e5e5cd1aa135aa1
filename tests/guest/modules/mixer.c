/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /dev/mixer: MIXER_SET_GAIN sets up one of 32 channels, which is calibrated for that unless MIXER_RAW is given. One
 * and a half seconds after MIXER_RUN a worker computes the levels of all channels and divides by what calibration has
 * found.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "mixer.h"

struct channel {
	u32 gain;
	u32 step; /* what calibration has found */
	u32 level;
};

static struct channel channels[MIXER_COUNT];
static DEFINE_MUTEX(mixer_lock);

static noinline u32 channel_level(const struct channel *channel)
{
	return channel->gain * 1000 / channel->step;
}

static void mixer_work(struct work_struct *work)
{
	mutex_lock(&mixer_lock);
	for (int i = 0; i < MIXER_COUNT; i++)
		channels[i].level = channel_level(&channels[i]);
	mutex_unlock(&mixer_lock);
}

static DECLARE_DELAYED_WORK(mixer_levels, mixer_work);

static noinline void channel_calibrate(struct channel *channel)
{
	channel->step = 1 + channel->gain / 8;
}

static noinline int mixer_set_gain(const struct mixer_gain *set)
{
	struct channel *channel = &channels[set->channel];

	channel->gain = set->gain;
	if (!(set->flags & MIXER_RAW))
		channel_calibrate(channel);
	return 0;
}

static long mixer_ioctl(struct file *file, unsigned int request, unsigned long argument)
{
	struct mixer_gain set;
	int rc;

	if (request == MIXER_RUN) {
		schedule_delayed_work(&mixer_levels, 3 * HZ / 2);
		return 0;
	}
	if (request != MIXER_SET_GAIN)
		return -ENOTTY;
	if (copy_from_user(&set, (void __user *)argument, sizeof(set)))
		return -EFAULT;
	if (set.channel >= MIXER_COUNT)
		return -EINVAL;
	mutex_lock(&mixer_lock);
	rc = mixer_set_gain(&set);
	mutex_unlock(&mixer_lock);
	return rc;
}

static const struct file_operations mixer_fops = {.owner = THIS_MODULE, .unlocked_ioctl = mixer_ioctl};
static struct miscdevice mixer_misc = {.minor = MISC_DYNAMIC_MINOR, .name = "mixer", .fops = &mixer_fops};

static int __init mixer_init(void)
{
	return misc_register(&mixer_misc);
}

module_init(mixer_init);
MODULE_DESCRIPTION("channels of which one is not calibrated");
MODULE_LICENSE("GPL");
