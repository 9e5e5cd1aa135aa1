/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times: as dates where they are, and as seconds where they are ticks. */
#include <exectrace/target/decode/values/printer.h>

#include <stdio.h>
#include <time.h>

#define DATE_MAX 64

/* A time as a date. fraction: of a second, in units of 10^-digits (6 or 9). False: it is none. */
static bool date_of(char *out, int64_t sec, uint64_t fraction, unsigned digits)
{
	char day[32], zone[8], part[16] = "";
	struct tm tm;
	time_t time = sec;

	if (fraction >= (digits == 6 ? 1000000u : 1000000000u) || !localtime_r(&time, &tm) ||
	    !strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm) || !strftime(zone, sizeof(zone), "%z", &tm))
		return false;
	if (fraction)
		snprintf(part, sizeof(part), ".%0*u", (int)digits, (unsigned)fraction);
	snprintf(out, DATE_MAX, "%s%s%s", day, part, zone);
	return true;
}

void put_date(struct printer *p, int64_t sec, uint64_t fraction, unsigned digits)
{
	char date[DATE_MAX];

	if (date_of(date, sec, fraction, digits))
		put_format(p, " /* %s */", date);
}

/* Nanoseconds since the machine was started. */
void print_boot_time(struct printer *p, uint64_t value, unsigned aux)
{
	struct timespec now, up;

	(void)aux;
	put_unsigned(p, value);
	if (clock_gettime(CLOCK_BOOTTIME, &up) == 0 && clock_gettime(CLOCK_REALTIME, &now) == 0) {
		int64_t start = (now.tv_sec - up.tv_sec) * 1000000000 + now.tv_nsec - up.tv_nsec;

		put_date(p, (start + (int64_t)(value & INT64_MAX / 2)) / 1000000000, 0, 9);
	}
}

/* `[seconds]`, and which date that is. */
void print_otime(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t seconds;

	(void)aux;
	if (!peek_number(p, value, p->word, &seconds)) {
		put_addr(p, value);
		return;
	}
	put_format(p, "[%lld", (long long)as_signed(p, seconds));
	if (seconds)
		put_date(p, as_signed(p, seconds), 0, 9);
	put_text(p, "]");
}

void print_seconds(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_format(p, "%lld", (long long)as_signed(p, value));
	if (value)
		put_date(p, as_signed(p, value), 0, 9);
}

/* Of times(2): there are a hundred of them in a second on every x86. */
void print_ticks(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_format(p, "%lld", (long long)as_signed(p, value));
	if (value && p->d->names != DECODE_NAMES_RAW)
		put_format(p, " /* %.2f s */", (double)as_signed(p, value) / 100);
}

void note_time(struct printer *p)
{
	char date[DATE_MAX];

	if (p->result.value && date_of(date, p->result.value, 0, 9))
		put_note(p, "%s", date);
}
