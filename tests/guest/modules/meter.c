/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /dev/meter: METER_START begins to sample one of eight meters, by a timer of its own; METER_STOP ends that and gives
 * the meter's buffer back. For the meters of the second half it forgets the timer, which finds no buffer when it is
 * due.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <linux/uaccess.h>

#include "meter.h"

#define METER_PERIOD (2 * HZ)
#define METER_SAMPLES 32
#define METER_BUILT_IN 4 /* those that the first version had */

struct meter_buffer {
	u64 count;
	u32 samples[METER_SAMPLES];
};

struct meter {
	struct timer_list timer;
	struct meter_buffer *buffer;
};

static struct meter meters[METER_COUNT];
static DEFINE_MUTEX(meters_lock);

static noinline void meter_store(struct meter_buffer *buffer, u32 sample)
{
	buffer->samples[buffer->count % METER_SAMPLES] = sample;
	buffer->count++;
}

static void meter_tick(struct timer_list *timer)
{
	struct meter *meter = container_of(timer, struct meter, timer);

	meter_store(meter->buffer, (u32)jiffies);
	mod_timer(&meter->timer, jiffies + METER_PERIOD);
}

static noinline int meter_start(struct meter *meter)
{
	if (meter->buffer)
		return -EBUSY;
	meter->buffer = kzalloc(sizeof(*meter->buffer), GFP_KERNEL);
	if (!meter->buffer)
		return -ENOMEM;
	mod_timer(&meter->timer, jiffies + METER_PERIOD);
	return 0;
}

static noinline void meter_cancel(struct meter *meter)
{
	del_timer_sync(&meter->timer);
}

static noinline int meter_stop(struct meter *meter)
{
	if (!meter->buffer)
		return -EINVAL;
	if (meter - meters < METER_BUILT_IN)
		meter_cancel(meter);
	kfree(meter->buffer);
	meter->buffer = NULL;
	return 0;
}

static long meter_ioctl(struct file *file, unsigned int request, unsigned long argument)
{
	int number;
	long rc;

	if (get_user(number, (int __user *)argument))
		return -EFAULT;
	if (number < 0 || number >= METER_COUNT)
		return -EINVAL;
	mutex_lock(&meters_lock);
	switch (request) {
	case METER_START:
		rc = meter_start(&meters[number]);
		break;
	case METER_STOP:
		rc = meter_stop(&meters[number]);
		break;
	default:
		rc = -ENOTTY;
	}
	mutex_unlock(&meters_lock);
	return rc;
}

static const struct file_operations meter_fops = {.owner = THIS_MODULE, .unlocked_ioctl = meter_ioctl};
static struct miscdevice meter_misc = {.minor = MISC_DYNAMIC_MINOR, .name = "meter", .fops = &meter_fops};

static int __init meter_init(void)
{
	for (int i = 0; i < METER_COUNT; i++)
		timer_setup(&meters[i].timer, meter_tick, 0);
	return misc_register(&meter_misc);
}

module_init(meter_init);
MODULE_DESCRIPTION("meters that are sampled by timers");
MODULE_LICENSE("GPL");
