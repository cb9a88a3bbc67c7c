/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/decimal.h"

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"

enum {
	DIGITS_MAX = 19, /* 10^19 - 1 fits in 64 bits */
	EXACT_MAX = 22,	 /* 10^22 is the last power that a double holds */
	WIDE_MAX = 27,	 /* 10^27 the last in 64 bits of significand */
};

#define EXACT_INTEGER (UINT64_C(1) << 53)

/* Apply 10^exp to m, rounding once; false: not sure. */
static bool decimal_scale(uint64_t m, int exp, double *x)
{
	static const double power[EXACT_MAX + 1] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8,
		1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

	/* With wider intermediate results everything would be rounded twice. */
	if (FLT_EVAL_METHOD != 0)
		return false;
	if (m <= EXACT_INTEGER && exp <= EXACT_MAX && exp >= -EXACT_MAX) {
		*x = exp < 0 ? (double)m / power[-exp] : (double)m * power[exp];
		return true;
	}
#if LDBL_MANT_DIG == 64
	static const long double wide[WIDE_MAX + 1] = {1e0L, 1e1L, 1e2L, 1e3L, 1e4L, 1e5L, 1e6L,
		1e7L, 1e8L, 1e9L, 1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L,
		1e19L, 1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

	if (exp <= WIDE_MAX && exp >= -WIDE_MAX) {
		long double q = exp < 0 ? (long double)m / wide[-exp] : (long double)m * wide[exp];
		uint64_t significand;

		memcpy(&significand, &q, sizeof(significand));
		*x = (double)q;
		/* 11 bits go: only their middle hides which side of it the true value is. */
		return (significand & 0x7ff) != 0x400;
	}
#endif
	return false;
}

static inline const char *decimal_digits(const char *p, uint64_t *m)
{
	for (unsigned d; (d = (unsigned char)*p - '0') <= 9; p++)
		*m = *m * 10 + d;
	return p;
}

/* At the e of an exponent; NULL when no digit follows, or it is far out of range. */
static const char *decimal_exponent(const char *p, int *exp)
{
	bool minus = *++p == '-';
	const char *first;
	uint64_t n = 0;

	if (minus || *p == '+')
		p++;
	first = p;
	p = decimal_digits(p, &n);
	if (p == first || p - first > 4)
		return NULL;
	*exp += minus ? -(int)n : (int)n;
	return p;
}

const char *decimal_fast(const char *p, double *v)
{
	bool minus = *p == '-';
	const char *first, *point;
	uint64_t m = 0;
	ptrdiff_t digits;
	double x;
	int exp = 0;

	if (minus || *p == '+')
		p++;
	first = p;
	p = decimal_digits(p, &m);
	digits = p - first;
	if (*p == '.') {
		point = ++p;
		p = decimal_digits(p, &m);
		digits += p - point;
		/* Wrong when it overflows, and then not used. */
		exp = -(int)(p - point);
	}
	if (!digits || digits > DIGITS_MAX)
		return NULL;
	if (*p == 'e' || *p == 'E')
		p = decimal_exponent(p, &exp);
	if (!p || !decimal_scale(m, exp, &x))
		return NULL;
	*v = minus ? -x : x;
	return p;
}

int decimal_token(const char *p, size_t n, double *v)
{
	char few[64], *text = few, *end;
	double x;
	int rc;

	/* strtod() wants an end, and the byte after the token may look like more of the number. */
	if (n < sizeof(few)) {
		memcpy(few, p, n);
		few[n] = '\0';
	} else {
		text = mem_strndup(p, n);
	}
	x = strtod(text, &end);
	rc = end == text || end != text + n ? -1 : 0;
	if (!rc)
		*v = x;
	if (text != few)
		free(text);
	return rc;
}
