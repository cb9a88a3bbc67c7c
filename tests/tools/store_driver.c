/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Put a made-up run into a store, so that a test of what reads runs needs no machine.
 *
 * usage: store_driver STATE ID [KEY=VALUE]...
 * ID is four hexadecimal digits that the run's UUID begins with.  Keys: day (2026-11-30), machine,
 * modes, boots, slower (percent), image (a digit, of which the digests of all images are made but
 * for the first: 1 mixed, 2 physical, 3 cluster), failed (boots that do), ended (0 or 1), workload,
 * iterations, samples, warmup, firmware, emulator, args, compiler, and of the facts cpu, microcode,
 * cpus, shorthand, debug.
 * A boot's times follow from its place in the plan.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/store.h"
#include "harness/base/clock.h"
#include "harness/base/mem.h"
#include "harness/base/str.h"

enum { DRIVER_MODES = 3, DRIVER_SAMPLES = 64 };

struct driver {
	const char *day, *machine, *modes, *boots, *slower, *image, *failed, *ended, *workload,
		*iterations, *samples, *warmup, *firmware, *emulator, *args, *compiler, *cpu,
		*microcode, *cpus, *shorthand, *debug;
};

#define KEY(name) \
	{ \
#name, offsetof(struct driver, name) \
	}

static const struct {
	const char *name;
	size_t offset;
} keys[] = {KEY(day), KEY(machine), KEY(modes), KEY(boots), KEY(slower), KEY(image), KEY(failed),
	KEY(ended), KEY(workload), KEY(iterations), KEY(samples), KEY(warmup), KEY(firmware),
	KEY(emulator), KEY(args), KEY(compiler), KEY(cpu), KEY(microcode), KEY(cpus),
	KEY(shorthand), KEY(debug)};

static int driver_key(struct driver *d, const char *word)
{
	const char *is = strchr(word, '=');

	for (size_t i = 0; is && i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strlen(keys[i].name) == (size_t)(is - word) &&
			!strncmp(keys[i].name, word, (size_t)(is - word))) {
			memcpy((char *)d + keys[i].offset, &(const char *){is + 1},
				sizeof(const char *));
			return 0;
		}
	fprintf(stderr, "store_driver: no key for \"%s\"\n", word);
	return -1;
}

static int driver_int(const char *s)
{
	int64_t v;

	if (str_int(s, -1, 1000000000, &v)) {
		fprintf(stderr, "store_driver: \"%s\" is no number\n", s);
		exit(2);
	}
	return (int)v;
}

static void driver_target(struct target *t, const struct driver *d)
{
	*t = (struct target){.firmware = FIRMWARE_UEFI};
	snprintf(t->name, sizeof(t->name), "%s", d->machine);
	snprintf(t->cpu_model, sizeof(t->cpu_model), "%s", d->cpu);
	snprintf(t->firmware_version, sizeof(t->firmware_version), "%s", d->firmware);
}

static size_t driver_modes(struct run_mode modes[DRIVER_MODES], const struct driver *d)
{
	char *words = mem_strdup(d->modes), *save = NULL;
	size_t n = 0;

	for (char *w = strtok_r(words, ",", &save); w && n < DRIVER_MODES;
		w = strtok_r(NULL, ",", &save)) {
		struct run_mode *m = &modes[n++];

		*m = (struct run_mode){.skipped = false};
		snprintf(m->mode, sizeof(m->mode), "%s", w);
		snprintf(m->image.mode, sizeof(m->image.mode), "%s", w);
		snprintf(m->image.recipe, sizeof(m->image.recipe), "xen");
		snprintf(m->image.version, sizeof(m->image.version), "4.19.1");
		snprintf(m->image.compiler, sizeof(m->image.compiler), "%s", d->compiler);
		snprintf(m->image.probe_version, sizeof(m->image.probe_version), "1.0");
		memset(m->image.sha256, d->image[0], SHA256_HEX);
		m->image.sha256[0] = *w == 'm' ? '1' : *w == 'p' ? '2' : '3';
	}
	free(words);
	return n;
}

static void driver_facts(struct facts *f, const struct driver *d)
{
	*f = (struct facts){.cpus_online = driver_int(d->cpus),
		.target_cpus = driver_int(d->cpus) - 1,
		.cpus_present = driver_int(d->cpus),
		.sockets = 2,
		.clusters = 32,
		.tsc_khz = 2250000,
		.debug = driver_int(d->debug),
		.shorthand = driver_int(d->shorthand)};
	snprintf(f->cpu_model, sizeof(f->cpu_model), "%s", d->cpu);
	snprintf(f->microcode, sizeof(f->microcode), "%s", d->microcode);
	snprintf(f->hypervisor, sizeof(f->hypervisor), "4.19.1");
}

/* About 0.2 % between boots and within one. */
static void driver_times(
	struct sample *s, int n, int warmup, int boot, const char *mode, double slower)
{
	double base = *mode == 'p' ? 1235e6 : 354e6;

	for (int i = 0; i < n; i++) {
		double v = base * (1 + 1e-4 * (boot * 7 % 11) + 1e-4 * (i * 37 % 13));

		s[i] = (struct sample){.ns = (int64_t)(v * (1 + slower / 100)),
			.tsc = (uint64_t)i,
			.warmup = i < warmup};
	}
}

static int driver_boots(struct run_sink *k, const struct driver *d, const struct run_info *info,
	struct run_totals *totals, struct err *e)
{
	struct sample samples[DRIVER_SAMPLES];
	int failed = driver_int(d->failed), n = info->samples + info->warmup, rc = 0;

	for (int i = 0; i < info->total && !rc; i++) {
		const struct run_mode *m = &info->modes[(size_t)i % info->n_modes];
		struct boot_result r = {.index = i,
			.block = i / (int)info->n_modes,
			.stage = STAGE_DONE,
			.started_wall_ns = info->started_wall_ns + i,
			.samples = samples,
			.n_samples = (size_t)n,
			.console = "",
			.flags = ""};

		memcpy(r.mode, m->mode, sizeof(r.mode));
		memcpy(r.effective, m->mode, sizeof(r.effective));
		memcpy(r.image_sha256, m->image.sha256, sizeof(r.image_sha256));
		str_random_hex(NONCE_HEX / 2, r.nonce);
		snprintf(r.command_line, sizeof(r.command_line),
			"console=com1 %s hp_nonce=%s hp_work=%s", d->args, r.nonce, d->workload);
		driver_facts(&r.facts, d);
		driver_times(samples, n, info->warmup, i / (int)info->n_modes, m->mode,
			strtod(d->slower, NULL));
		if (i < failed) {
			r.outcome = OUTCOME_LAB;
			r.n_samples = 0;
			err_set(&r.err, ERR_LAB, "E_TIMEOUT", "console silent for 300 s");
		}
		totals->ok += i >= failed;
		totals->failed += i < failed;
		rc = k->boot(k->arg, &r, false, e);
	}
	return rc;
}

int main(int argc, char **argv)
{
	struct driver d = {"2026-11-30", "epyc", "mixed,physical,cluster", "5", "0", "a", "0", "1",
		"flush-all", "10000", "10", "2", "1.12", "", "bootscrub=0 cpufreq=none",
		"gcc 12.2.0", "AMD EPYC 9754", "0xaa00215", "512", "0", "0"};
	struct run_mode modes[DRIVER_MODES];
	struct run_totals totals = {.wall_ns = 0};
	struct err e = ERR_INIT;
	struct store *s = NULL;
	struct target target;
	struct run_info info = {.target = &target,
		.modes = modes,
		.repeat = 2,
		.seed = 41,
		.extra_args = "",
		.again = "harness run",
		.harness_version = "v1",
		.user = "operator",
		.host = "controller"};
	struct run_sink k;
	int rc = 0;

	for (int i = 3; i < argc; i++)
		if (driver_key(&d, argv[i]))
			return 2;
	if (argc < 3 || clock_day(d.day, strlen(d.day), &info.started_wall_ns))
		return 2;
	snprintf(info.uuid, sizeof(info.uuid), "%.4s0000-0000-4000-8000-000000000000", argv[2]);
	driver_target(&target, &d);
	info.n_modes = driver_modes(modes, &d);
	info.started_wall_ns += 12 * 3600 * INT64_C(1000000000);
	info.workload = d.workload;
	info.boots = driver_int(d.boots);
	info.samples = driver_int(d.samples);
	info.warmup = driver_int(d.warmup);
	info.iterations = driver_int(d.iterations);
	info.total = info.boots * (int)info.n_modes;
	info.emulator = d.emulator;
	if (info.samples + info.warmup > DRIVER_SAMPLES)
		return 2;
	rc = store_open(&s, argv[1], &e);
	if (rc)
		goto out;
	k = store_sink(s);
	rc = k.begin(k.arg, &info, &e);
	if (!rc)
		rc = driver_boots(&k, &d, &info, &totals, &e);
	if (!rc && driver_int(d.ended))
		rc = k.end(k.arg, &totals, &e);
out:
	if (rc)
		fprintf(stderr, "store_driver: %s\n", e.msg);
	store_close(s);
	return rc ? 1 : 0;
}
