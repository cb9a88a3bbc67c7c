/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/cmd.h"
#include "harness/netboot_config.h"

enum { CONFIG_MAX = 4 << 20, NOTES_MAX = 1 << 20 };
enum { OPT_MACHINE = CMD_OPT_OWN, OPT_FORMAT, OPT_INTERFACE, OPT_RANGE, OPT_ROOT, OPT_SERVER };

struct cmd_netboot_args {
	struct cmd_common common;
	struct netboot_config config;
	const char *machines; /* names with commas between; NULL: all that are real */
	const char *output;
};

static int netboot_parse(struct cmd_netboot_args *a, int argc, char **argv, struct err *e)
{
	static const struct option longs[] = {CMD_COMMON_LONG,
		{"machine", required_argument, NULL, OPT_MACHINE},
		{"format", required_argument, NULL, OPT_FORMAT},
		{"interface", required_argument, NULL, OPT_INTERFACE},
		{"range", required_argument, NULL, OPT_RANGE},
		{"tftp-root", required_argument, NULL, OPT_ROOT},
		{"tftp-server", required_argument, NULL, OPT_SERVER},
		{"output", required_argument, NULL, 'o'}, {NULL, 0, NULL, 0}};
	int opt, rc = 0;

	while (!rc && (opt = getopt_long(argc, argv, ":o:" CMD_COMMON_SHORT, longs, NULL)) != -1) {
		if (opt == OPT_MACHINE)
			a->machines = optarg;
		else if (opt == OPT_FORMAT)
			rc = netboot_format_find(&a->config.format, optarg, e);
		else if (opt == OPT_INTERFACE)
			a->config.interface = optarg;
		else if (opt == OPT_RANGE)
			a->config.range = optarg;
		else if (opt == OPT_ROOT)
			a->config.tftp_root = optarg;
		else if (opt == OPT_SERVER)
			a->config.tftp_server = optarg;
		else if (opt == 'o')
			a->output = optarg;
		else if (cmd_common_option(&a->common, opt, argv, e))
			rc = -ERR_USAGE;
	}
	if (!rc && (optind + 1 != argc || strcmp(argv[optind], "config")))
		rc = err_set(e, ERR_USAGE, NULL,
			"netboot: say config, and nothing else; try harness netboot --help");
	return rc;
}

/* The first IPv4 address of an interface of this host.  Caller frees it; NULL: none. */
static char *netboot_address(const char *interface)
{
	struct ifaddrs *all = NULL;
	char text[INET_ADDRSTRLEN], *found = NULL;

	if (!interface || getifaddrs(&all))
		return NULL;
	for (struct ifaddrs *i = all; i && !found; i = i->ifa_next) {
		struct sockaddr_in in;

		if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET ||
			strcmp(i->ifa_name, interface))
			continue;
		memcpy(&in, i->ifa_addr, sizeof(in));
		if (inet_ntop(AF_INET, &in.sin_addr, text, sizeof(text)))
			found = mem_strdup(text);
	}
	freeifaddrs(all);
	return found;
}

/* What the other end of the configuration may lack: it may be meant for another host. */
static void netboot_look(const struct netboot_config *c, struct buf *notes)
{
	static const char *const files[] = {NETBOOT_FILE_BIOS, NETBOOT_FILE_UEFI};

	if (c->format != NETBOOT_DNSMASQ && c->format != NETBOOT_DNSMASQ_PROXY)
		return;
	if (!if_nametoindex(c->interface))
		buf_addf(notes, "this host has no interface %s\n", c->interface);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *file = mem_printf("%s/%s", c->tftp_root, files[i]);

		if (!path_exists(file))
			buf_addf(notes,
				"%s is missing here: install the package ipxe, or name its "
				"folder with --tftp-root\n",
				file);
		free(file);
	}
}

static int netboot_names(const struct cmd_netboot_args *a, char ***names, size_t *n, struct err *e)
{
	char *copy, *save = NULL;

	if (!a->machines)
		return target_names(a->common.targets, names, n, e);
	copy = mem_strdup(a->machines);
	for (char *w = strtok_r(copy, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		*names = mem_grow(*names, *n + 1, sizeof(**names));
		(*names)[(*n)++] = mem_strdup(w);
	}
	free(copy);
	return *n ? 0 : err_set(e, ERR_USAGE, NULL, "netboot config: --machine names none");
}

static int netboot_print(
	const struct cmd_netboot_args *a, struct buf *out, struct buf *notes, struct err *e)
{
	char *save = NULL;

	for (char *l = strtok_r(notes->data, "\n", &save); l && !a->common.quiet;
		l = strtok_r(NULL, "\n", &save))
		fprintf(stderr, "harness: warning: %s\n", l);
	if (a->output && strcmp(a->output, "-") != 0)
		return path_write(a->output, out->data, out->len, 0644, e);
	fputs(out->data, stdout);
	return 0;
}

static int netboot_command(int argc, char **argv, struct err *e)
{
	struct cmd_netboot_args a = {.config = {.tftp_root = NETBOOT_TFTP_ROOT}};
	struct target *targets = NULL;
	char **names = NULL, *address = NULL;
	size_t n_names = 0, n = 0;
	struct buf out, notes;
	int rc = netboot_parse(&a, argc, argv, e);

	if (rc)
		return rc;
	cmd_common_apply(&a.common);
	buf_init(&out, CONFIG_MAX);
	buf_init(&notes, NOTES_MAX);
	rc = netboot_names(&a, &names, &n_names, e);
	if (n_names)
		targets = mem_array(n_names, sizeof(*targets));
	for (size_t i = 0; i < n_names && !rc; i++) {
		rc = target_find(&targets[n], a.common.targets, names[i], e);
		if (!rc && targets[n].lab.present && !a.machines)
			target_release(&targets[n]);
		else if (!rc)
			n++;
	}
	address = netboot_address(a.config.interface);
	a.config.address = address;
	if (!rc)
		rc = netboot_config_make(&a.config, targets, n, &out, &notes, e);
	if (!rc)
		netboot_look(&a.config, &notes);
	if (!rc)
		rc = netboot_print(&a, &out, &notes, e);
	while (n--)
		target_release(&targets[n]);
	free(targets);
	free(address);
	target_names_free(names, n_names);
	buf_release(&notes);
	buf_release(&out);
	return rc;
}

const struct cmd cmd_netboot = {
	.name = "netboot",
	.run = netboot_command,
	.brief = "what the DHCP server of a lab segment needs",
	.usage = "netboot config [OPTIONS]\n\n"
		 "Prints the configuration with which DHCP sends lab machines to the harness, BIOS "
		 "and\n"
		 "UEFI: iPXE by TFTP first, then each machine's own address on our HTTP server.  "
		 "Machines\n"
		 "that are not named get nothing by it.\n\n"
		 "  --machine A,B          these machines (default: all that are not virtual)\n"
		 "  --format FORMAT        dnsmasq (default): the only DHCP server of a segment\n"
		 "                         dnsmasq-proxy: proxyDHCP beside an existing server\n"
		 "                         dhcpd, kea: to add to an existing server\n"
		 "  --interface NAME       dnsmasq: where the segment is, and nowhere else\n"
		 "  --range FIRST,LAST[,LEASE]\n"
		 "                         dnsmasq: addresses for the machines\n"
		 "  --range ADDRESS        dnsmasq-proxy: this host's address there (default: the\n"
		 "                         interface's)\n"
		 "  --tftp-root DIR        dnsmasq: where iPXE's files are "
		 "(default " NETBOOT_TFTP_ROOT ")\n"
		 "  --tftp-server ADDRESS  dhcpd, kea: who serves them (default: the host of the\n"
		 "                         machine's address)\n"
		 "  -o, --output FILE      write there instead of to standard "
		 "output\n" CMD_COMMON_USAGE "\n"
		 "Exit status: 0 done, 2 usage or a bad target file, 3 FILE cannot be written.\n",
};
