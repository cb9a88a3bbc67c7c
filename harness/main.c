/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/log.h"
#include "harness/base/str.h"
#include "harness/cmd.h"
#include "harness/version.h"

static const struct cmd *const commands[] = {
	&cmd_attach,
	&cmd_bisect,
	&cmd_build,
	&cmd_compare,
	&cmd_lab,
	&cmd_machine,
	&cmd_netboot,
	&cmd_patch,
	&cmd_report,
	&cmd_run,
	&cmd_runs,
	&cmd_show,
	&cmd_stat,
	NULL,
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) - 1 };

static void main_usage(FILE *to)
{
	fputs("usage: harness COMMAND [OPTIONS]\n\n"
	      "Netboots a hypervisor built for each x2APIC mode, times its inter-processor work "
	      "over\n"
	      "the serial console, and compares the modes.\n\n",
		to);
	for (size_t i = 0; commands[i]; i++)
		fprintf(to, "  %-9s %s\n", commands[i]->name, commands[i]->brief);
	fputs("\nharness COMMAND --help tells more.\n"
	      "Exit status: 0 done, 1 a proven regression, 2 usage, 3 lab, 4 image,\n"
	      "5 measurement, 6 busy, 70 bug, 130 interrupted.\n",
		to);
}

static const struct cmd *main_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static int main_unknown(const char *name)
{
	const char *names[COMMANDS + 1] = {NULL}, *near;

	for (size_t i = 0; commands[i]; i++)
		names[i] = commands[i]->name;
	near = str_nearest(name, names, COMMANDS);
	if (near)
		log_fatal("unknown command \"%s\" (did you mean \"%s\"?); see harness --help", name,
			near);
	else
		log_fatal("unknown command \"%s\"; see harness --help", name);
	return ERR_USAGE;
}

/* A report that did not reach its reader is no success. */
static int main_flush(int rc)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return rc;
	/* A reader that left (head, a pager) wants no complaint. */
	if (errno == EPIPE)
		return rc;
	log_fatal("cannot write to standard output");
	return ERR_LAB;
}

/* What is closed would be taken by the next file, which then reads or gets our output. */
static void main_open_std(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	struct err e = ERR_INIT;
	const struct cmd *c;
	int rc;

	main_open_std();
	signal(SIGPIPE, SIG_IGN);
	if (argc < 2) {
		main_usage(stderr);
		return ERR_USAGE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version")) {
		printf("harness %s\n", harness_version);
		return main_flush(0);
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		c = argc > 2 ? main_find(argv[2]) : NULL;
		if (argc > 2 && !c)
			return main_unknown(argv[2]);
		if (c)
			printf("usage: harness %s", c->usage);
		else
			main_usage(stdout);
		return main_flush(0);
	}
	c = main_find(argv[1]);
	if (!c)
		return main_unknown(argv[1]);
	for (int i = 2; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			printf("usage: harness %s", c->usage);
			return main_flush(0);
		}
	opterr = 0;
	rc = c->run(argc - 1, argv + 1, &e);
	if (rc < 0) {
		if (e.code[0])
			log_fatal("%s (%s)", e.msg, e.code);
		else
			log_fatal("%s", e.msg);
		return e.cls ? (int)e.cls : ERR_BUG;
	}
	return main_flush(rc);
}
