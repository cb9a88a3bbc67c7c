/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows "privilege" and "boot device". */
#include <stdio.h>
#include <string.h>

#include "harness/check_int.h"

static int boot_end(const struct visit *v, struct err *e)
{
	if (v->end.cls)
		*e = v->end;
	return -(int)v->end.cls;
}

static bool boot_is_ipmi(const struct check *c)
{
	return !strcmp(c->target->bmc.driver, "ipmi");
}

static void boot_privilege(struct check *c, const struct err *bad)
{
	const struct target *t = c->target;
	bool ipmi = boot_is_ipmi(c);

	if (!bad->cls)
		check_add(c, "privilege", CHECK_OK, NULL, "user %s%s%s may set the boot device",
			t->bmc.user, ipmi ? " as " : "", ipmi ? t->bmc.privilege : "");
	else if (ipmi)
		check_add(c, "privilege", CHECK_FAIL,
			"set [bmc] privilege = OPERATOR, or raise the user's limit on the BMC",
			"user %s as %s may not set the boot device", t->bmc.user, t->bmc.privilege);
	else
		check_add(c, "privilege", CHECK_FAIL, "give the user the role Operator on the BMC",
			"%s", bad->msg);
}

/* What was read back after it was set. */
static void boot_read_back(
	struct check *c, const struct power_boot *now, const struct power_boot *was)
{
	const struct target *t = c->target;
	bool asked = t->bmc.bootdev_raw[0] || strstr(t->bmc.bootdev_options, "efiboot");
	char hint[160] = "";

	if (t->firmware == FIRMWARE_UEFI && now->legacy && boot_is_ipmi(c) && !asked) {
		check_add(c, "boot device", CHECK_WARN, "set [bmc] bootdev_options = efiboot",
			"reads back as legacy PXE; the machine is UEFI");
	} else if (t->firmware == FIRMWARE_UEFI && now->legacy && !t->lab.present) {
		snprintf(hint, sizeof(hint),
			"see whether it boots: harness machine check %s --boot; if not, try "
			"bootdev_raw",
			t->name);
		check_add(c, "boot device", CHECK_WARN, hint,
			"UEFI was asked for, and it reads back as legacy PXE");
	} else if (t->firmware == FIRMWARE_BIOS && now->efi) {
		check_add(c, "boot device", CHECK_WARN,
			boot_is_ipmi(c) ? "take efiboot out of [bmc] bootdev_options" : NULL,
			"reads back as UEFI PXE; the machine is BIOS");
	} else {
		check_add(c, "boot device", CHECK_OK, NULL, "reads back as %s; put back to %s",
			now->text, was->text);
	}
}

/* Set it and read it: bad is filled when that fails. */
static void boot_set(struct visit *v, struct power *p, struct power_boot *now, struct err *bad)
{
	if (visit_boot_net(v, p, bad) || visit_boot_get(v, p, bad))
		return;
	*now = p->boot;
	if (!now->network)
		err_set(bad, ERR_LAB, "E_BOOTDEV", "it reads back as %s", now->text);
}

static void boot_failed(struct check *c, const struct err *bad)
{
	if (!strcmp(bad->code, "E_AUTH")) {
		boot_privilege(c, bad);
		check_add(c, "boot device", CHECK_SKIPPED, NULL, "needs the privilege");
	} else {
		check_add(c, "boot device", CHECK_FAIL,
			boot_is_ipmi(c) ? "try bootdev_raw, see targets/README.md" : NULL, "%s",
			bad->msg);
	}
}

int check_boot_device(struct check *c, struct visit *v, struct power *p, struct err *e)
{
	struct err bad = ERR_INIT, left = ERR_INIT;
	struct power_boot was, now = {.network = false};

	if (!p->ops->boot_get) {
		check_drop(c, "boot device");
		check_add(c, "boot device", CHECK_SKIPPED, NULL,
			"a power command can neither read it nor put it back");
		return 0;
	}
	if (v->end.cls)
		return boot_end(v, e);
	check_drop(c, "boot device");
	if (visit_boot_get(v, p, &bad)) {
		boot_failed(c, &bad);
		return boot_end(v, e);
	}
	was = p->boot;
	boot_set(v, p, &now, &bad);
	if ((!bad.cls || strcmp(bad.code, "E_AUTH") != 0) && visit_boot_put(v, p, &was, &left)) {
		check_add(c, "boot device", CHECK_FAIL,
			"the machine's next restart may be a network boot",
			"it was set for this check and could not be put back to %s: %s", was.text,
			left.msg);
		return boot_end(v, e);
	}
	if (bad.cls) {
		boot_failed(c, &bad);
	} else {
		boot_privilege(c, &bad);
		boot_read_back(c, &now, &was);
	}
	return boot_end(v, e);
}
