/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/netboot_parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/base/str.h"

static const char digits[] = "0123456789";

/* A number of digits only; past 2^64 it is the largest there is.  Moves *p behind it. */
static bool number(const char **p, uint64_t *out)
{
	size_t n = strspn(*p, digits);

	if (!n)
		return false;
	errno = 0;
	*out = strtoull(*p, NULL, 10);
	*p += n;
	return true;
}

enum netboot_range netboot_range(const char *value, uint64_t size, uint64_t *from, uint64_t *len)
{
	uint64_t first, last = UINT64_MAX;
	const char *p = value;

	if (!p || strncasecmp(p, "bytes=", 6))
		return RANGE_ALL;
	p += 6;
	if (*p == '-') {
		p++;
		if (!number(&p, &last) || *p)
			return RANGE_ALL;
		if (!last || !size)
			return RANGE_BAD;
		*len = last < size ? last : size;
		*from = size - *len;
		return RANGE_PART;
	}
	if (!number(&p, &first) || *p++ != '-' || (*p && !number(&p, &last)) || *p || last < first)
		return RANGE_ALL;
	if (first >= size)
		return RANGE_BAD;
	*from = first;
	*len = (last < size ? last + 1 : size) - first;
	return RANGE_PART;
}

int netboot_mac(const char *text, char out[18])
{
	static const char hex[] = "0123456789abcdefABCDEF";
	size_t step = strlen(text) == 12 ? 2 : 3, n = step == 2 ? 12 : 17;
	char mac[18];

	if (strlen(text) != n)
		return -1;
	for (size_t i = 0; i < 6; i++) {
		const char *p = text + i * step;

		for (size_t k = 0; k < 2; k++) {
			if (!memchr(hex, p[k], sizeof(hex) - 1))
				return -1;
			mac[3 * i + k] = (char)(p[k] >= 'A' && p[k] <= 'F' ? p[k] + 32 : p[k]);
		}
		if (step == 3 && i < 5 && ((p[2] != ':' && p[2] != '-') || p[2] != text[2]))
			return -1;
		mac[3 * i + 2] = i < 5 ? ':' : '\0';
	}
	memcpy(out, mac, sizeof(mac));
	return 0;
}

bool netboot_path(const char *path, const char **token, const char **file)
{
	if (strncmp(path, "/b/", 3) || strspn(path + 3, "0123456789abcdef") != NETBOOT_TOKEN ||
		path[3 + NETBOOT_TOKEN] != '/')
		return false;
	*token = path + 3;
	*file = path + 3 + NETBOOT_TOKEN + 1;
	return true;
}

int netboot_listen(const char *text, char host[64], int *port)
{
	const char *colon = strrchr(text, ':'), *from = text, *to = colon;
	int64_t n;

	if (!colon || str_int(colon + 1, 0, 65535, &n))
		return -1;
	if (*text == '[') {
		from = text + 1;
		to = colon - 1;
		if (to <= from || *to != ']')
			return -1;
	} else if (memchr(from, ':', (size_t)(to - from))) {
		return -1;
	}
	if (to <= from || to - from >= 64)
		return -1;
	memcpy(host, from, (size_t)(to - from));
	host[to - from] = '\0';
	*port = (int)n;
	return 0;
}
