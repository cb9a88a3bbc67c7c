/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any peer: the same data, answers and state for two ways of cutting what it says; answers no
 * longer than what was said; and what we type survives the way. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/telnet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINE_BYTES = 64 };

struct side {
	struct telnet t;
	struct buf out;
	char *data;
	size_t n;
};

static void take(struct side *s, const uint8_t *data, size_t size, size_t chunk)
{
	telnet_init(&s->t, size % 2, 115200, TELNET_FLOW_NONE);
	buf_init(&s->out, size + LINE_BYTES);
	telnet_start(&s->t, &s->out);
	buf_clear(&s->out);
	s->data = mem_alloc(size + 1);
	s->n = 0;
	for (size_t at = 0; at < size; at += chunk) {
		size_t n = size - at < chunk ? size - at : chunk;

		memcpy(s->data + s->n, data + at, n);
		s->n += telnet_feed(&s->t, s->data + s->n, n, &s->out);
	}
	assert(s->n <= size && !s->out.failed);
	assert(strlen(telnet_why(&s->t)) < sizeof(s->t.why));
}

static void escape(struct telnet *t, const uint8_t *data, size_t size)
{
	struct buf wire, answer;

	buf_init(&wire, 2 * size);
	buf_init(&answer, 0);
	/* As the peer of ours would see it: from one command to the next is data. */
	telnet_escape(t, (const char *)data, size, &wire);
	assert(!wire.failed);
	telnet_init(t, false, 0, TELNET_FLOW_NONE);
	assert(telnet_feed(t, wire.data, wire.len, &answer) <= wire.len);
	assert(!answer.failed && telnet_state(t) == TELNET_ASKING);
	buf_release(&wire);
	buf_release(&answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct side a, b;

	take(&a, data, size, size + 1);
	take(&b, data, size, 3);
	assert(a.n == b.n && !memcmp(a.data, b.data, a.n));
	assert(a.out.len == b.out.len && !memcmp(a.out.data, b.out.data, a.out.len));
	assert(telnet_state(&a.t) == telnet_state(&b.t) && a.t.heard == b.t.heard);
	escape(&a.t, data, size);
	free(a.data);
	free(b.data);
	buf_release(&a.out);
	buf_release(&b.out);
	return 0;
}
