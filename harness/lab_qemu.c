/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/lab_priv.h"
#include "harness/lab_wire.h"

/* Where Debian's package ovmf puts the firmware and its empty variables. */
#define OVMF_CODE "/usr/share/OVMF/OVMF_CODE_4M.fd"
#define OVMF_VARS "/usr/share/OVMF/OVMF_VARS_4M.fd"
#define LAB_VARS  "uefi-vars.fd"
#define IPXE_EFI  "/usr/lib/ipxe/ipxe.efi"
#define LAB_TFTP  "tftp"

enum { OVMF_MAX = 16 << 20 };
enum { QEMU_ARGS_MAX = 96, QEMU_LOG_MAX = 1 << 20 };

struct lab_argv {
	const char *v[QEMU_ARGS_MAX + 1];
	char *made[QEMU_ARGS_MAX];
	size_t n, n_made;
};

static void lab_arg(struct lab_argv *a, const char *s)
{
	if (a->n < QEMU_ARGS_MAX)
		a->v[a->n++] = s;
}

static void lab_pair(struct lab_argv *a, const char *name, char *value)
{
	lab_arg(a, name);
	lab_arg(a, value);
	a->made[a->n_made++] = value;
}

/* Newer firmware asks for its boot file by TFTP and hands on no more than a name: there iPXE comes
 * as a file and finds its script beside it. */
static bool lab_qemu_tftp(const struct lab_qemu *q, struct err *e)
{
	char *script = mem_printf("#!ipxe\ndhcp net0\nchain --autofree "
				  "http://10.0.2.2:%d/ipxe?mac=${net0/mac}\n",
		q->http_port);
	int rc = path_write(LAB_TFTP "/autoexec.ipxe", script, strlen(script), 0600, e);

	free(script);
	return !rc;
}

static void lab_qemu_netboot(struct lab_argv *a, const struct lab_qemu *q, const char *mac)
{
	struct err e = ERR_INIT;

	/* iPXE itself expands ${net0/mac}; 10.0.2.2 is what QEMU's user network calls the host. */
	if (q->http_port && q->tftp && lab_qemu_tftp(q, &e))
		lab_pair(
			a, "-netdev", mem_strdup("user,id=n0,tftp=" LAB_TFTP ",bootfile=ipxe.efi"));
	else if (q->http_port)
		lab_pair(a, "-netdev",
			mem_printf("user,id=n0,bootfile=http://10.0.2.2:%d/ipxe?mac=${net0/mac}",
				q->http_port));
	else
		lab_pair(a, "-netdev", mem_strdup("user,id=n0"));
	/* Without its ROM the firmware cannot fall back to the network when nobody asked for it. */
	lab_pair(a, "-device",
		mem_printf("e1000,netdev=n0,mac=%s%s", mac, q->pxe ? ",bootindex=1" : ",romfile="));
}

/* One thread for all CPUs is both faster and quieter under TCG; and the only accelerator that is
 * the same everywhere, so "auto" means it. */
static const char *lab_qemu_accel(const struct target_lab *l)
{
	return strcmp(l->accel, "auto") ? l->accel : "tcg,thread=single";
}

static void lab_qemu_args(struct lab_argv *a, struct lab_qemu *q)
{
	const struct target *t = q->lab->target;
	const struct target_lab *l = &t->lab;
	char *extra, *save = NULL;

	lab_arg(a, "qemu-system-x86_64");
	lab_arg(a, "-nodefaults");
	lab_arg(a, "-no-user-config");
	lab_pair(a, "-display", mem_strdup("none"));
	lab_arg(a, "-no-reboot");
	lab_pair(a, "-sandbox", mem_strdup("on"));
	/* graphics=off: firmware and iPXE print on the serial line too. */
	lab_pair(a, "-machine",
		mem_printf("q35,graphics=off%s",
			l->interrupt_remapping ? ",kernel-irqchip=split" : ""));
	lab_pair(a, "-accel", mem_strdup(lab_qemu_accel(l)));
	lab_pair(a, "-cpu", mem_strdup(l->cpu));
	lab_pair(a, "-m", mem_printf("%d", l->memory_mib));
	lab_pair(a, "-smp",
		mem_printf("%d,sockets=%d,cores=%d,threads=1", l->cpus, l->sockets,
			l->cpus / l->sockets));
	if (l->interrupt_remapping)
		lab_pair(a, "-device", mem_strdup("intel-iommu,intremap=on,eim=on"));
	lab_pair(a, "-chardev", mem_strdup("socket,id=s0,path=" LAB_SERIAL_SOCKET));
	lab_pair(a, "-serial", mem_strdup("chardev:s0"));
	if (t->firmware == FIRMWARE_UEFI) {
		lab_pair(a, "-drive",
			mem_strdup("if=pflash,format=raw,readonly=on,file=" OVMF_CODE));
		lab_pair(a, "-drive", mem_strdup("if=pflash,format=raw,file=" LAB_VARS));
	}
	lab_qemu_netboot(a, q, t->mac);
	if (q->trace) {
		snprintf(q->trace_file, sizeof(q->trace_file), "apic-%d.trace", q->starts);
		lab_pair(a, "-trace", mem_strdup("apic_register_write"));
		lab_pair(a, "-D", mem_strdup(q->trace_file));
	}
	extra = mem_strdup(l->qemu_args);
	a->made[a->n_made++] = extra;
	for (char *w = strtok_r(extra, " \t", &save); w; w = strtok_r(NULL, " \t", &save))
		lab_arg(a, w);
}

static void lab_qemu_on_output(void *arg, int fd, const char *p, size_t n)
{
	struct lab_qemu *q = arg;

	(void)fd;
	if (q->log && ftell(q->log) < QEMU_LOG_MAX) {
		fwrite(p, 1, n, q->log);
		fflush(q->log);
	}
}

static void lab_qemu_on_end(void *arg, struct child_result *r)
{
	struct lab_qemu *q = arg;
	struct err e = ERR_INIT;

	q->child = NULL;
	/* -no-reboot makes a restart of the guest end QEMU.  A new one takes the boot override as
	 * firmware does, which a restart in place would not. */
	if (!q->stopping && !r->status && q->lab->target->between_boots == BETWEEN_RESTART)
		q->restart = true;
	q->stopping = false;
	if (q->restart && !q->lab->ending) {
		q->restart = false;
		if (lab_qemu_start(q, &e) && q->log)
			fprintf(q->log, "%s\n", e.msg);
	}
	lab_qemu_gone(q->lab);
}

int lab_qemu_prepare(struct lab_qemu *q, struct err *e)
{
	struct err none = ERR_INIT;
	struct buf vars;
	int rc;

	if (q->lab->target->firmware != FIRMWARE_UEFI)
		return 0;
	if (!path_exists(OVMF_CODE))
		return err_set(
			e, ERR_LAB, "E_LAB", "%s is missing: install the package ovmf", OVMF_CODE);
	buf_init(&vars, OVMF_MAX);
	rc = path_read(OVMF_VARS, &vars, e);
	if (!rc)
		rc = path_write(LAB_VARS, vars.data, vars.len, 0600, e);
	buf_clear(&vars);
	/* Only an iPXE that looks for a script beside itself is of use as a file. */
	if (!rc && path_exists(IPXE_EFI) && !path_read(IPXE_EFI, &vars, &none) &&
		memmem(vars.data, vars.len, "autoexec.ipxe", 13)) {
		rc = path_mkdirs(LAB_TFTP, e);
		if (!rc)
			rc = path_write(LAB_TFTP "/ipxe.efi", vars.data, vars.len, 0600, e);
		q->tftp = !rc;
	}
	buf_release(&vars);
	return rc;
}

bool lab_qemu_running(const struct lab_qemu *q)
{
	return q->child != NULL;
}

int lab_qemu_start(struct lab_qemu *q, struct err *e)
{
	struct lab_argv a = {.n = 0};
	struct child_opts o = {.deadline_ms = CHILD_SERVICE,
		.out_max = 4096,
		.orphan_kill = true,
		.on_data = lab_qemu_on_output};

	if (q->child) {
		/* Told on while it goes off: on it will be. */
		q->restart = q->stopping;
		return 0;
	}
	if (!q->log)
		q->log = fopen("qemu.log", "we");
	q->starts++;
	lab_qemu_args(&a, q);
	q->pxe = false;
	if (q->log) {
		for (size_t i = 0; i < a.n; i++)
			fprintf(q->log, "%s%s", i ? " " : "+ ", a.v[i]);
		fputc('\n', q->log);
		fflush(q->log);
	}
	o.argv = a.v;
	q->child = child_start(&q->lab->loop, &o, lab_qemu_on_end, q, e);
	for (size_t i = 0; i < a.n_made; i++)
		free(a.made[i]);
	return q->child ? 0 : -(int)e->cls;
}

void lab_qemu_stop(struct lab_qemu *q)
{
	q->restart = false;
	if (!q->child)
		return;
	q->stopping = true;
	child_stop(q->child);
}
