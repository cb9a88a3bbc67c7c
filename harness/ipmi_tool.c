/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/ipmi_tool.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/base/path.h"

int ipmi_bmc_init(struct ipmi_bmc *b, const struct target *t, const struct secret *s,
	const char *host, int port, struct err *e)
{
	memset(b, 0, sizeof(*b));
	b->target = t;
	b->secret = s;
	snprintf(b->host, sizeof(b->host), "%s", host ? host : t->bmc.host);
	b->port = host ? port : t->bmc.port;
	snprintf(b->where, sizeof(b->where), "%s:%d", b->host, b->port);
	if (!s || !s->value)
		return err_set(e, ERR_USAGE, "E_SECRET",
			"no password for the BMC of %s: see password_file in targets/README.md",
			t->name);
	return path_data("harness/ipmitool", &b->data, e);
}

void ipmi_bmc_release(struct ipmi_bmc *b)
{
	free(b->data);
	b->data = NULL;
}

void ipmi_tool_init(struct ipmi_tool *t, const struct ipmi_bmc *b, bool verbose, const char *verb,
	const char *arg, bool file)
{
	size_t n = 0;

	memset(t, 0, sizeof(*t));
	snprintf(t->port, sizeof(t->port), "%d", b->port);
	snprintf(t->cipher, sizeof(t->cipher), "%d", b->target->bmc.cipher);
	if (file)
		t->commands = mem_printf("%s/%s", b->data, arg);
	/* One second for each try, doubled by ipmitool as it repeats: 12 s in all. */
	const char *const fixed[] = {"ipmitool", "-I", "lanplus", "-N", "1", "-R", "3", "-C",
		t->cipher, "-L", b->target->bmc.privilege, "-H", b->host, "-p", t->port, "-U",
		b->target->bmc.user, "-E"};

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		t->argv[n++] = fixed[i];
	if (verbose)
		t->argv[n++] = "-v";
	t->argv[n++] = verb;
	if (arg)
		t->argv[n++] = file ? t->commands : arg;
	assert(n < IPMI_TOOL_ARGS);
	n = 0;
	t->password = secret_env("IPMI_PASSWORD", b->secret);
	t->home = mem_printf("HOME=%s/home", b->data);
	t->env[n++] = t->password;
	t->env[n++] = t->home;
	t->env[n++] = "TERM=dumb"; /* no colours, no bracketed paste */
}

void ipmi_tool_hasten(struct ipmi_tool *t)
{
	for (size_t i = 0; t->argv[i]; i++)
		if (!strcmp(t->argv[i], "-R"))
			t->argv[i + 1] = "1";
}

void ipmi_tool_release(struct ipmi_tool *t)
{
	secret_env_free(t->password);
	free(t->home);
	free(t->commands);
	memset(t, 0, sizeof(*t));
}

int ipmi_tool_explain(const struct ipmi_bmc *b, const char *doing, const char *text, struct err *e)
{
	const struct target *t = b->target;
	char last[160];

	switch (ipmi_parse_fault(text)) {
	case IPMI_FAULT_USER:
		return err_set(e, ERR_LAB, "E_AUTH",
			"BMC %s knows no user \"%s\": check user in [bmc], and that it may use "
			"this "
			"channel",
			b->where, t->bmc.user);
	case IPMI_FAULT_PASSWORD:
		return err_set(e, ERR_LAB, "E_AUTH",
			"BMC %s rejects the password of user \"%s\": check %s in [bmc]", b->where,
			t->bmc.user,
			t->bmc.password_kind == SECRET_ENV	 ? "password_env"
			: t->bmc.password_kind == SECRET_COMMAND ? "password_command"
								 : "password_file");
	case IPMI_FAULT_KEY:
		return err_set(e, ERR_LAB, "E_AUTH",
			"BMC %s wants a BMC key (Kg), which is not supported: clear the key on the "
			"BMC",
			b->where);
	case IPMI_FAULT_PRIVILEGE:
		return err_set(e, ERR_LAB, "E_AUTH",
			"BMC %s gives user \"%s\" no privilege %s: raise the user's limit on the "
			"BMC or "
			"set privilege in [bmc]",
			b->where, t->bmc.user, t->bmc.privilege);
	case IPMI_FAULT_CIPHER:
		return err_set(e, ERR_LAB, "E_AUTH",
			"BMC %s does not offer cipher suite %d: set cipher in [bmc] (17 or 3 "
			"usually)",
			b->where, t->bmc.cipher);
	case IPMI_FAULT_SESSIONS:
		return err_set(e, ERR_LAB, "E_BMC",
			"BMC %s has no room for one more session: end other sessions, or wait a "
			"minute",
			b->where);
	case IPMI_FAULT_RESOLVE:
		return err_set(e, ERR_LAB, "E_BMC",
			"the BMC's name \"%s\" has no address: check host in [bmc]", b->host);
	case IPMI_FAULT_UNREACHABLE:
	case IPMI_FAULT_NO_ANSWER:
		return err_set(e, ERR_LAB, "E_BMC",
			"BMC %s stopped answering during \"%s\": check its network, or reset the "
			"BMC",
			b->where, doing);
	case IPMI_FAULT_SESSION:
		return err_set(e, ERR_LAB, "E_BMC",
			"BMC %s opens no IPMI 2.0 session for user \"%s\": check user, cipher and "
			"privilege in [bmc]",
			b->where, t->bmc.user);
	case IPMI_FAULT_NONE:
	case IPMI_FAULT_REFUSED:
	case IPMI_FAULT_SOL_BUSY:
	case IPMI_FAULT_SOL_DISABLED:
		break;
	}
	ipmi_parse_last_line(text, last, sizeof(last));
	return err_set(e, ERR_LAB, "E_BMC", "BMC %s: \"%s\" failed: %s", b->where, doing,
		*last ? last : "no answer that makes sense");
}
