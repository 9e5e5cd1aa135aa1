/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What QEMU tells of events, in the way of each version of its interface. */
#include "private.h"

static void old_vcpu(qemu_id_t id, unsigned vcpu)
{
	(void)id;
	plugin_vcpu(vcpu, NULL);
}

static void old_idle(qemu_id_t id, unsigned vcpu)
{
	(void)id;
	callback_idle(vcpu, NULL);
}

static void old_translate(qemu_id_t id, struct qemu_tb *tb)
{
	(void)id;
	plugin_translate(tb, NULL);
}

static void old_flush(qemu_id_t id)
{
	(void)id;
	plugin_flush(NULL);
}

static void old_end(qemu_id_t id, void *user)
{
	(void)id;
	plugin_end(user);
}

void events_register(const struct plugin *p)
{
	const struct qemu *q = &p->qemu;
	bool old = q->version < QEMU_WITHOUT_ID;
	qemu_event_fn idle = old ? (qemu_event_fn)old_idle : (qemu_event_fn)callback_idle;

	q->on_vcpu_init(p->id, old ? (qemu_event_fn)old_vcpu : (qemu_event_fn)plugin_vcpu, NULL);
	q->on_vcpu_idle(p->id, idle, NULL);
	q->on_vcpu_resume(p->id, idle, NULL);
	q->on_translate(p->id, old ? (qemu_event_fn)old_translate : (qemu_event_fn)plugin_translate, NULL);
	q->on_flush(p->id, old ? (qemu_event_fn)old_flush : (qemu_event_fn)plugin_flush, NULL);
	q->on_end(p->id, old ? (qemu_event_fn)old_end : (qemu_event_fn)plugin_end, NULL);
}
