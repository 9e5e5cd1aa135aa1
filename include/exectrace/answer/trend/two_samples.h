/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same quantity, measured several times on two sides: what is usual on each, and how likely chance alone makes them
 * as different as they are. Nothing is assumed about how it is distributed: only ranks count.
 */
#ifndef EXECTRACE_ANSWER_TREND_TWO_SAMPLES_H
#define EXECTRACE_ANSWER_TREND_TWO_SAMPLES_H

#include <stddef.h>

#define TWO_SAMPLES_EXACT 50u /* values of both sides together: up to here p is exact */

/* The median, and the quartiles below and above: interpolated between neighbours as R's type 7. */
struct sample_spread {
	double median, low, high;
};

/* Sorts the n values and describes them; of none all is 0. */
struct sample_spread sample_describe(double *values, size_t n);

/*
 * The two-sided p of the Mann-Whitney test (Wilcoxon's rank sum), for a of n values and b of m: the probability, when
 * the sides do not differ, of a rank sum that is as far from its mean as this one or farther. Equal values share their
 * mean rank. Exact for up to TWO_SAMPLES_EXACT values, ties or not: of all ways to deal the ranks to the sides, the
 * part that is as far; and of any number when there are two different values only, as where something is in a recording
 * or is not. Beyond that it is the normal distribution, with the correction for ties and for continuity. 1 when a side
 * has no value. 0 and *p set, or -ENOMEM.
 */
int two_samples_p(const double *a, size_t n, const double *b, size_t m, double *p);

/* The smallest p that samples of n and m different values can have; 1 when a side is empty. */
double two_samples_least(size_t n, size_t m);

/*
 * Corrects the p of n tests for their number, in place, as Benjamini and Hochberg do: of those that are at most q
 * afterwards, the part that is chance alone is expected to be q or less. 0 or -ENOMEM.
 */
int two_samples_correct(double *p, size_t n);

#endif
