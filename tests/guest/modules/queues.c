/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /dev/queues: QUEUES_SUBMIT starts a request on one of four queues and waits until it is done, half a second at most.
 * A request is done 5 ms later; a timer stands for the device's interrupt. Its handler never wakes who waits for the
 * last queue.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/timer.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include "queues.h"

#define QUEUES_TIMEOUT (HZ / 2)

struct queue {
	wait_queue_head_t wait;
	struct timer_list interrupt;
	bool done;
};

static struct queue queues[QUEUES_COUNT];
static const unsigned long queues_enabled = 0x7; /* of the device's interrupts, one bit a queue */

static noinline void queue_complete(struct queue *queue)
{
	wake_up(&queue->wait);
}

static void queues_interrupt(struct timer_list *timer)
{
	struct queue *queue = container_of(timer, struct queue, interrupt);

	WRITE_ONCE(queue->done, true);
	if (queues_enabled & BIT(queue - queues))
		queue_complete(queue);
}

static noinline int queue_wait(struct queue *queue)
{
	return wait_event_timeout(queue->wait, READ_ONCE(queue->done), QUEUES_TIMEOUT) ? 0 : -ETIMEDOUT;
}

static noinline int queue_submit(struct queue *queue)
{
	WRITE_ONCE(queue->done, false);
	mod_timer(&queue->interrupt, jiffies + msecs_to_jiffies(5));
	return queue_wait(queue);
}

static long queues_ioctl(struct file *file, unsigned int request, unsigned long argument)
{
	int number;

	if (request != QUEUES_SUBMIT)
		return -ENOTTY;
	if (get_user(number, (int __user *)argument))
		return -EFAULT;
	if (number < 0 || number >= QUEUES_COUNT)
		return -EINVAL;
	return queue_submit(&queues[number]);
}

static const struct file_operations queues_fops = {.owner = THIS_MODULE, .unlocked_ioctl = queues_ioctl};
static struct miscdevice queues_misc = {.minor = MISC_DYNAMIC_MINOR, .name = "queues", .fops = &queues_fops};

static int __init queues_init(void)
{
	for (int i = 0; i < QUEUES_COUNT; i++) {
		init_waitqueue_head(&queues[i].wait);
		timer_setup(&queues[i].interrupt, queues_interrupt, 0);
	}
	return misc_register(&queues_misc);
}

module_init(queues_init);
MODULE_DESCRIPTION("queues of requests, one without interrupts");
MODULE_LICENSE("GPL");
