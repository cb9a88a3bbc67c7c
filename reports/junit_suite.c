/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/junit_suite.h"

#include "reports/xml.h"

void junit_suite_init(struct junit_suite *s, size_t max)
{
	*s = (struct junit_suite){.ms = 0};
	buf_init(&s->properties, max);
	buf_init(&s->cases, max);
}

void junit_suite_release(struct junit_suite *s)
{
	buf_release(&s->properties);
	buf_release(&s->cases);
}

void junit_suite_property(struct junit_suite *s, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	buf_adds(&s->properties, "   <property");
	xml_attr(&s->properties, "name", name);
	xml_attr(&s->properties, "value", value);
	buf_adds(&s->properties, "/>\n");
}

static void suite_result(struct buf *out, const struct junit_case *c)
{
	static const char *const names[] = {
		[JUNIT_FAILURE] = "failure",
		[JUNIT_ERROR] = "error",
		[JUNIT_SKIPPED] = "skipped",
	};

	if (c->result == JUNIT_PASSED)
		return;
	buf_addf(out, "    <%s", names[c->result]);
	if (c->type)
		xml_attr(out, "type", c->type);
	xml_attr(out, "message", c->message);
	if (!c->text) {
		buf_adds(out, "/>\n");
		return;
	}
	buf_addc(out, '>');
	xml_text(out, c->text);
	buf_addf(out, "</%s>\n", names[c->result]);
}

static void suite_said(struct buf *out, const char *indent, const char *said)
{
	if (!said || !*said)
		return;
	buf_addf(out, "%s<system-out>", indent);
	xml_text(out, said);
	buf_adds(out, "</system-out>\n");
}

void junit_suite_case(struct junit_suite *s, const struct junit_case *c)
{
	struct buf *out = &s->cases;

	s->count[c->result]++;
	s->ms += c->ms;
	buf_adds(out, "  <testcase");
	xml_attr(out, "classname", c->classname);
	xml_attr(out, "name", c->name);
	buf_addf(out, " time=\"%lld.%03d\"", (long long)(c->ms / 1000), (int)(c->ms % 1000));
	if (c->result == JUNIT_PASSED && (!c->said || !*c->said)) {
		buf_adds(out, "/>\n");
		return;
	}
	buf_adds(out, ">\n");
	suite_result(out, c);
	suite_said(out, "    ", c->said);
	buf_adds(out, "  </testcase>\n");
}

size_t junit_suite_tests(const struct junit_suite *s)
{
	size_t n = 0;

	for (int i = 0; i < JUNIT_RESULTS; i++)
		n += s->count[i];
	return n;
}

void junit_suite_attrs(struct buf *out, const struct junit_suite *s)
{
	buf_addf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" time=\"%lld.%03d\"",
		junit_suite_tests(s), s->count[JUNIT_FAILURE], s->count[JUNIT_ERROR],
		(long long)(s->ms / 1000), (int)(s->ms % 1000));
}

void junit_suite_write(struct buf *out, const struct junit_suite *s, const char *name,
	const char *attrs, const char *said)
{
	buf_adds(out, " <testsuite");
	xml_attr(out, "name", name);
	junit_suite_attrs(out, s);
	buf_addf(out, " skipped=\"%zu\"%s>\n", s->count[JUNIT_SKIPPED], attrs);
	if (s->properties.len) {
		buf_adds(out, "  <properties>\n");
		buf_add(out, s->properties.data, s->properties.len);
		buf_adds(out, "  </properties>\n");
	}
	buf_add(out, s->cases.data, s->cases.len);
	suite_said(out, "  ", said);
	buf_adds(out, " </testsuite>\n");
	if (s->properties.failed || s->cases.failed)
		out->failed = true;
}
