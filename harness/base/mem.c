/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *mem_checked(void *p)
{
	if (!p) {
		fputs("harness: out of memory\n", stderr);
		exit(70);
	}
	return p;
}

void *mem_alloc(size_t n)
{
	return mem_checked(calloc(1, n ? n : 1));
}

void *mem_array(size_t n, size_t size)
{
	return mem_checked(calloc(n ? n : 1, size ? size : 1));
}

void *mem_grow(void *p, size_t n, size_t size)
{
	return mem_checked(reallocarray(p, n ? n : 1, size ? size : 1));
}

char *mem_strdup(const char *s)
{
	return s ? mem_checked(strdup(s)) : NULL;
}

char *mem_strndup(const char *s, size_t n)
{
	return mem_checked(strndup(s, n));
}

char *mem_printf(const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return mem_checked(n < 0 ? NULL : s);
}
