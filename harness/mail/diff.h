/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of a patch, and what they say: files, blob ids, hunks.  Pure; everything borrows the
 * text. */
#ifndef HARNESS_MAIL_DIFF_H
#define HARNESS_MAIL_DIFF_H

#include <stdbool.h>
#include <stddef.h>

enum { DIFF_PATH_MAX = 1024, DIFF_ID_MAX = 65 };

struct diff_line {
	const char *p;
	size_t n; /* without the LF */
};

struct diff_lines {
	struct diff_line *v; /* owned */
	size_t n;
	bool open_end; /* the last one has no LF */
};

void diff_lines_init(struct diff_lines *l, const char *text);
void diff_lines_release(struct diff_lines *l);

bool diff_begins(struct diff_line l, const char *word);

/* "@@ -12,3 +12,4 @@ …" */
struct diff_hunk {
	long old_line, old_n, new_line, new_n;
};
bool diff_hunk_parse(struct diff_line l, struct diff_hunk *h);

/* Does a file begin at line i: "diff --git", or "--- ", "+++ " and a hunk? */
bool diff_file_at(const struct diff_lines *l, size_t i);

struct diff_file {
	char path[DIFF_PATH_MAX]; /* as the patch leaves it, or the removed one */
	char old_id[DIFF_ID_MAX],
		new_id[DIFF_ID_MAX]; /* of its index line, cut as it came; or "" */
	struct diff_hunk *hunks;     /* owned */
	size_t n_hunks;
	bool binary; /* what is changed are no lines */
};

struct diff {
	struct diff_file *files; /* owned */
	size_t n;
};

/* What is no patch in the text is passed over.  A zeroed diff is empty. */
void diff_parse(struct diff *d, const char *text);
void diff_release(struct diff *d);

#endif
