/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/cmd.h"

#include "harness/base/log.h"

int cmd_common_option(struct cmd_common *c, int opt, char **argv, struct err *e)
{
	switch (opt) {
	case CMD_OPT_STATE:
		c->state = optarg;
		return 0;
	case CMD_OPT_TARGETS:
		c->targets = optarg;
		return 0;
	case 'v':
		c->verbose++;
		return 0;
	case 'q':
		c->quiet++;
		return 0;
	case ':':
		err_set(e, ERR_USAGE, NULL, "%s: option %s needs a value; try harness %s --help",
			argv[0], argv[optind - 1], argv[0]);
		return -1;
	default:
		err_set(e, ERR_USAGE, NULL, "%s: unknown option %s; try harness %s --help", argv[0],
			argv[optind > 1 ? optind - 1 : 1], argv[0]);
		return -1;
	}
}

void cmd_common_apply(const struct cmd_common *c)
{
	int level = LOG_WARN - c->verbose + c->quiet;

	log_set_level(level < LOG_DEBUG	  ? LOG_DEBUG
		      : level > LOG_ERROR ? LOG_ERROR
					  : (enum log_level)level);
}
