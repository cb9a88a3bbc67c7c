/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "targets/target_keys.h"

#include <string.h>

#define AT(field) offsetof(struct target, field), sizeof(((struct target *)0)->field)
#define TEXT(s, n, type, need, dflt, field, what) \
	{ \
		s, n, type, need, 0, 0, NULL, dflt, AT(field), what \
	}
#define CHOICE(s, n, type, words, dflt, field, what) \
	{ \
		s, n, type, NEED_NO, 0, 0, words, dflt, AT(field), what \
	}
#define NUMBER(s, n, min, max, dflt, field, what) \
	{ \
		s, n, KEY_INT, NEED_NO, min, max, NULL, dflt, AT(field), what \
	}
#define BOOL(s, n, dflt, field, what) \
	{ \
		s, n, KEY_BOOL, NEED_NO, 0, 1, NULL, dflt, AT(field), what \
	}
#define SPAN(s, n, min, max, dflt, field, what) \
	{ \
		s, n, KEY_DURATION, NEED_NO, min, max, NULL, dflt, AT(field), what \
	}
#define SECRET(n, kind, what) \
	{ \
		"bmc", n, KEY_SECRET, NO_LAB, kind, 0, NULL, NULL, AT(bmc.password_from), what \
	}
#define DEADLINE(n, stage, dflt, what) \
	{ \
		"deadlines", n, KEY_DURATION, NEED_NO, 1000, 6 * HOUR, NULL, dflt, \
			AT(deadline_ms[stage]), what \
	}

enum { SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE };

/* clang-format off */
const struct target_key target_keys[] = {
	TEXT("machine", "description", KEY_TEXT, NEED_NO, NULL, description,
		"What the machine is, for people."),
	TEXT("machine", "cpu_model", KEY_TEXT, NEED_NO, NULL, cpu_model,
		"What reports call the CPU; without it they say what the console said."),
	TEXT("machine", "tags", KEY_NAMES, NEED_NO, NULL, tags,
		"Groups that the machine belongs to, for `run --tag` and `machine list --tag`."),
	TEXT("machine", "mac", KEY_MAC, NEED_YES, NULL, mac,
		"Address of the network interface that netboots; `/ipxe?mac=…` is answered by it."),
	CHOICE("machine", "firmware", KEY_ENUM, "bios uefi", "uefi", firmware,
		"Decides which file is booted (`xen` or `xen.efi`) and how."),
	TEXT("machine", "firmware_version", KEY_TEXT, NEED_NO, NULL, firmware_version,
		"For reports: timings under different firmware are not comparable."),
	NUMBER("machine", "cpus", 0, 8192, "0", cpus,
		"CPUs that must come online, or the boot is CPU_MISMATCH; 0: any number will do."),
	NUMBER("machine", "sockets", 0, 64, "0", sockets,
		"The same for sockets."),
	CHOICE("machine", "idle", KEY_ENUM, "off on leave", "off", idle,
		"How a run leaves the machine, also a failed or interrupted one."),
	CHOICE("machine", "between_boots", KEY_ENUM, "restart reset cycle", "cycle", between_boots,
		"How a good boot gives way to the next: the machine's own restart, a reset, or off and on."),
	NUMBER("machine", "retries", 0, 10, "1", retries,
		"How often a failed boot is tried again."),

	CHOICE("bmc", "driver", KEY_CHOICE, "ipmi redfish command", "ipmi", bmc.driver,
		"How power and boot device are controlled; `ipmi` is ipmitool with lanplus, "
		"`redfish` the BMC's HTTPS service, `command` a program of yours."),
	CHOICE("bmc", "fallback", KEY_WORDS, "ipmi redfish command", NULL, bmc.fallback,
		"Drivers that are tried in this order when the one before fails."),
	TEXT("bmc", "command", KEY_TEXT, NEED_NO, NULL, bmc.command,
		"The program of `command`, and fixed words before its verb; see below."),
	TEXT("bmc", "host", KEY_HOST, NEED_REAL, NULL, bmc.host,
		"Name or address of the BMC."),
	{"bmc", "port", KEY_INT, NO_LAB, 1, 65535, NULL, "623", AT(bmc.port),
		"UDP port of the BMC."},
	TEXT("bmc", "user", KEY_ID, NEED_USER, NULL, bmc.user,
		"User on the BMC."),
	SECRET("password_file", SECRET_FILE,
		"File that holds the password, mode 0600; relative to the target file, or `~/…`."),
	SECRET("password_env", SECRET_ENV,
		"Environment variable that holds the password; it is taken out of the "
		"environment, so that no program inherits it."),
	SECRET("password_command", SECRET_COMMAND,
		"Command for `/bin/sh` that prints the password, 10 s at most."),
	NUMBER("bmc", "cipher", 0, 17, "17", bmc.cipher,
		"Cipher suite of lanplus: 17 on current BMCs, 3 on older ones."),
	CHOICE("bmc", "privilege", KEY_CHOICE, "USER OPERATOR ADMINISTRATOR", "ADMINISTRATOR",
		bmc.privilege,
		"Privilege level of the session; many BMCs want ADMINISTRATOR for the boot device."),
	TEXT("bmc", "bootdev_options", KEY_ID, NEED_NO, NULL, bmc.bootdev_options,
		"For `chassis bootdev pxe options=…`; UEFI machines need `efiboot`."),
	TEXT("bmc", "bootdev_raw", KEY_HEX, NEED_NO, NULL, bmc.bootdev_raw,
		"Bytes for `ipmitool raw` in place of `chassis bootdev`, for BMCs that get that wrong."),
	TEXT("bmc", "url", KEY_HTTPS, NEED_NO, NULL, bmc.url,
		"Address of the Redfish service; without it: `https://` and `host`."),
	TEXT("bmc", "ca_file", KEY_TEXT, NEED_NO, NULL, bmc.ca_file,
		"Certificates (PEM) that vouch for the Redfish service; relative to the target file, or `~/…`."),
	TEXT("bmc", "pin", KEY_PIN, NEED_NO, NULL, bmc.pin,
		"Hash of the public key of the Redfish service, which is enough to trust it; see below."),
	CHOICE("bmc", "auth", KEY_CHOICE, "session basic", "session", bmc.auth,
		"How to log in to Redfish: one session that is deleted at the end, or the password each time."),
	TEXT("bmc", "system", KEY_TEXT, NEED_NO, NULL, bmc.system,
		"Which Redfish system is meant (its name or path) where a service has several."),
	NUMBER("bmc", "readings", 1, 20, "3", bmc.readings,
		"Power readings in a row that must agree before a state is believed."),
	SPAN("bmc", "reading_gap", 0, MINUTE, "2s", bmc.reading_gap_ms,
		"Wait between two readings."),
	SPAN("bmc", "settle", 0, 10 * MINUTE, "10s", bmc.settle_ms,
		"Quiet time after a verified off, for supplies to discharge."),
	SPAN("bmc", "quiet", 0, 10 * SECOND, "0s", bmc.quiet_ms,
		"Least time between two commands to the same BMC, for one that loses the second."),

	CHOICE("console", "driver", KEY_CHOICE, "sol tcp telnet rfc2217 tty command", "sol",
		console.driver,
		"Where the serial console comes from; `sol` is ipmitool's serial over LAN."),
	TEXT("console", "host", KEY_HOST, NEED_NO, NULL, console.host,
		"For `tcp`, `telnet` and `rfc2217`: name or address of the console server."),
	{"console", "port", KEY_INT, NEED_NO, 1, 65535, NULL, NULL, AT(console.port),
		"For the same: TCP port of this machine's line."},
	TEXT("console", "device", KEY_TEXT, NEED_NO, NULL, console.device,
		"For `tty`: the serial device, best by a name that stays: `/dev/serial/by-id/…`."),
	NUMBER("console", "speed", 300, 4000000, "115200", console.speed,
		"For `tty` and `rfc2217`: baud of the line, with 8 data bits, no parity, 1 stop bit."),
	CHOICE("console", "flow", KEY_ENUM, "none rtscts xonxoff", "none", console.flow,
		"For the same: flow control of the line."),
	TEXT("console", "command", KEY_TEXT, NEED_NO, NULL, console.command,
		"For `command`: a command for `/bin/sh` that is the console until it is ended."),
	SPAN("console", "silence", 0, 10 * MINUTE, "3s", console.silence_ms,
		"Silence of the console that goes with a verified off; 0: not checked."),

	TEXT("netboot", "listen", KEY_LISTEN, NEED_NO, "127.0.0.1:0", netboot.listen,
		"Address and port of our HTTP server; port 0: any free one."),
	TEXT("netboot", "url", KEY_URL, NEED_NO, NULL, netboot.url,
		"How the machine reaches that server; without it: `http://` and `listen`."),

	TEXT("hypervisor", "serial", KEY_CMDLINE, NEED_NO, "com1=115200,8n1 console=com1",
		hypervisor.serial, "Console arguments of the hypervisor on this machine."),
	TEXT("hypervisor", "args", KEY_CMDLINE, NEED_NO, "loglvl=all bootscrub=0",
		hypervisor.args, "All its other arguments, without `x2apic-mode` and `hp_…`."),
	TEXT("hypervisor", "debug_keys", KEY_KEYS, NEED_NO, "d", hypervisor.debug_keys,
		"Debug keys that are typed on its console when it hangs; see below."),

	TEXT("measure", "workload", KEY_ID, NEED_NO, "flush-all", measure.workload,
		"What is timed unless `--workload` says otherwise."),
	NUMBER("measure", "boots", 1, 1000, "5", measure.boots,
		"Boots of each mode; fewer than 3 say nothing about the spread between boots."),
	NUMBER("measure", "samples", 1, 1024, "25", measure.samples,
		"Kept samples of a boot; 1024 together with `warmup` at most."),
	NUMBER("measure", "iterations", 1, 100000000, "10000", measure.iterations,
		"Calls in one sample."),
	NUMBER("measure", "warmup", 0, 1023, "3", measure.warmup,
		"Samples before the kept ones; stored, but not compared."),
	NUMBER("measure", "repeat", 1, 16, "2", measure.repeat,
		"How often the report is printed; a damaged line is taken from another pass."),

	DEADLINE("acquire", STAGE_ACQUIRE, "1m", "Lock taken, virtual lab started."),
	DEADLINE("power-off", STAGE_POWER_OFF, "3m", "Verified off, `settle` included."),
	DEADLINE("boot-device", STAGE_BOOT_DEVICE, "1m", "Network boot set and read back."),
	DEADLINE("console", STAGE_CONSOLE, "1m", "Console session open."),
	DEADLINE("power-on", STAGE_POWER_ON, "2m", "Power reads on."),
	DEADLINE("firmware", STAGE_FIRMWARE, "15m", "From power on until the boot script is fetched."),
	DEADLINE("ipxe", STAGE_IPXE, "2m", "Until the first image file is asked for."),
	DEADLINE("load", STAGE_LOAD, "5m", "Until the last image file has been sent."),
	DEADLINE("hypervisor", STAGE_HYPERVISOR, "10m", "Until the probe's first record."),
	DEADLINE("probe", STAGE_PROBE, "30m", "Until the probe's last record."),
	DEADLINE("done", STAGE_DONE, "1m", "Files withdrawn, sessions closed, idle state reached."),

	NUMBER("lab", "cpus", 1, 1024, "8", lab.cpus,
		"Virtual CPUs."),
	NUMBER("lab", "sockets", 1, 64, "1", lab.sockets,
		"Virtual sockets; `cpus` is a multiple of it."),
	NUMBER("lab", "memory", 256, 1048576, "1024", lab.memory_mib,
		"Memory in MiB."),
	BOOL("lab", "interrupt_remapping", "yes", lab.interrupt_remapping,
		"IOMMU with interrupt remapping; without it cluster mode falls back to mixed."),
	TEXT("lab", "cpu", KEY_ID, NEED_NO, "max", lab.cpu,
		"QEMU's `-cpu`."),
	TEXT("lab", "accel", KEY_ID, NEED_NO, "auto", lab.accel,
		"QEMU's `-accel`; `auto` is `tcg,thread=single`, which runs the same everywhere."),
	TEXT("lab", "qemu_args", KEY_TEXT, NEED_NO, NULL, lab.qemu_args,
		"More arguments for QEMU, split at blanks."),
};
/* clang-format on */

const size_t target_keys_n = sizeof(target_keys) / sizeof(target_keys[0]);

const struct target_key *target_key_find(const char *section, const char *name)
{
	for (size_t i = 0; i < target_keys_n; i++)
		if (!strcmp(target_keys[i].section, section) && !strcmp(target_keys[i].name, name))
			return &target_keys[i];
	return NULL;
}

const struct target_key *target_key_anywhere(const char *name)
{
	for (size_t i = 0; i < target_keys_n; i++)
		if (!strcmp(target_keys[i].name, name))
			return &target_keys[i];
	return NULL;
}

bool target_section_known(const char *section)
{
	for (size_t i = 0; i < target_keys_n; i++)
		if (!strcmp(target_keys[i].section, section))
			return true;
	return false;
}

size_t target_key_names(const char *section, const char **names)
{
	size_t n = 0;

	for (size_t i = 0; i < target_keys_n; i++) {
		const struct target_key *k = &target_keys[i];

		if (section && !strcmp(k->section, section))
			names[n++] = k->name;
		else if (!section && (!n || strcmp(k->section, names[n - 1])))
			names[n++] = k->section;
	}
	return n;
}
