/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/build.h"

#include <dirent.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/base/str.h"
#include "harness/build_step.h"
#include "harness/git/checkout.h"

enum { MINUTE_MS = 60000, RECIPE_FILE_MAX = 1048576 };

struct build {
	const struct build_opts *opts;
	struct build_result *r;
	struct build_steps steps;
	char *recipe;			  /* path of the recipe */
	char *dir, *work, *cache, *out;	  /* build/NAME, build/NAME/work, cache/NAME, images/tmp */
	char *source;			  /* the tree */
	char recipe_hash[SHA256_HEX + 1]; /* over the files of the recipe's folder, not *.md */
	char srchash[SHA256_HEX + 1];
	char has[BUILD_MODES_MAX]; /* by index in r->modes: the tree has this mode */
};

const char *build_status_name(enum build_status s)
{
	return s == BUILD_BUILT ? "built" : s == BUILD_UP_TO_DATE ? "up to date" : "SKIPPED";
}

/* The text after key= in the lines of b, or "". */
static void build_fact(const struct buf *b, const char *key, char *out, size_t size)
{
	size_t n = strlen(key);

	*out = '\0';
	for (const char *p = b->data; *p; p += strcspn(p, "\n"), p += *p == '\n') {
		if (strncmp(p, key, n) || p[n] != '=')
			continue;
		snprintf(out, size, "%.*s", (int)strcspn(p + n + 1, "\n"), p + n + 1);
		return;
	}
}

static int build_verb(struct build *b, const char *what, bool quiet, int deadline_ms, struct err *e,
	const char *verb, const char *a, const char *c)
{
	const char *argv[] = {b->recipe, verb, a, c, NULL};
	struct build_step st = {
		.what = what, .argv = argv, .deadline_ms = deadline_ms, .quiet = quiet};

	return build_step_run(&b->steps, &st, e);
}

static int build_names_compare(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int build_names_wanted(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return d->d_name[0] != '.' && !(n > 3 && !strcmp(d->d_name + n - 3, ".md"));
}

/* Recipe and probe are inputs too, whatever srchash covers. */
static int build_hash_recipe(struct build *b, struct err *e)
{
	char *folder = mem_strndup(b->recipe, (size_t)(strrchr(b->recipe, '/') - b->recipe));
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx ctx;
	struct dirent **names;
	int rc = 0, n = scandir(folder, &names, build_names_wanted, build_names_compare);

	if (n < 0)
		n = 0;
	sha256_init(&ctx);
	for (int i = 0; i < n; i++) {
		char hash[SHA256_HEX + 1], *file = mem_printf("%s/%s", folder, names[i]->d_name);
		struct stat st;

		if (!rc && !stat(file, &st) && S_ISREG(st.st_mode)) {
			rc = image_hash_file(file, hash, NULL, e);
			if (!rc)
				sha256_update(&ctx, SHA256_HEX, (uint8_t *)hash);
		}
		free(file);
		free(names[i]);
	}
	if (n)
		free(names);
	sha256_digest(&ctx, sizeof(digest), digest);
	str_hex(digest, sizeof(digest), b->recipe_hash);
	free(folder);
	return rc;
}

/* A commit is built from a checkout of ours, which the lock makes ours alone. */
static int build_checkout(struct build *b, struct err *e)
{
	char commit[GIT_HASH_MAX];
	int rc = git_resolve(b->opts->source, b->opts->rev, commit, e);

	if (rc)
		return rc;
	b->source = mem_printf("%s/tree", b->dir);
	return checkout_make(b->source, b->opts->source, commit, e);
}

static int build_find_source(struct build *b, struct err *e)
{
	char *line;
	int rc;

	if (b->opts->source && b->opts->rev)
		return build_checkout(b, e);
	if (b->opts->source) {
		b->source = realpath(b->opts->source, NULL);
		if (!b->source)
			return err_set(e, ERR_USAGE, NULL, "%s: no such folder", b->opts->source);
		return 0;
	}
	rc = build_verb(b, "fetching the source", true, 30 * MINUTE_MS, e, "fetch", b->cache, NULL);
	if (rc)
		return rc;
	while (b->steps.out.len && b->steps.out.data[b->steps.out.len - 1] == '\n')
		b->steps.out.data[--b->steps.out.len] = '\0';
	line = strrchr(b->steps.out.data, '\n');
	b->source = realpath(line ? line + 1 : b->steps.out.data, NULL);
	if (!b->source)
		return err_set(e, ERR_IMAGE, "E_BUILD",
			"the recipe's fetch named no folder but \"%.200s\"",
			line ? line + 1 : b->steps.out.data);
	return 0;
}

/* Is word one of the blank-separated words of list? */
static bool build_listed(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = list; *p; p += strcspn(p, " "), p += strspn(p, " "))
		if (strcspn(p, " ") == n && !strncmp(p, word, n))
			return true;
	return false;
}

static int build_describe(struct build *b, struct err *e)
{
	char modes[256], dirty[8], key[MODE_MAX + 8];
	struct build_result *r = b->r;
	const struct buf *out = &b->steps.out;
	int rc = build_verb(
		b, "looking at the source", true, 10 * MINUTE_MS, e, "describe", b->source, NULL);

	if (rc)
		return rc;
	build_fact(out, "version", r->version, sizeof(r->version));
	build_fact(out, "commit", r->commit, sizeof(r->commit));
	build_fact(out, "dirty", dirty, sizeof(dirty));
	build_fact(out, "modes", modes, sizeof(modes));
	build_fact(out, "srchash", b->srchash, sizeof(b->srchash));
	r->dirty = !strcmp(dirty, "1");
	if (strlen(b->srchash) != SHA256_HEX || !r->version[0])
		return err_set(e, ERR_IMAGE, "E_BUILD",
			"the recipe's describe gave no version and srchash for %s", b->source);
	for (size_t i = 0; i < r->n_modes; i++) {
		struct build_mode *m = &r->modes[i];

		snprintf(m->version, sizeof(m->version), "%s", r->version);
		b->has[i] = build_listed(modes, m->mode);
		if (b->has[i])
			continue;
		m->status = BUILD_SKIPPED;
		snprintf(key, sizeof(key), "skip.%s", m->mode);
		build_fact(out, key, m->reason, sizeof(m->reason));
		if (!m->reason[0])
			snprintf(m->reason, sizeof(m->reason), "%s %s has no such mode",
				b->opts->recipe, r->version);
	}
	return 0;
}

/* Record the modes that the tree lacks; fail when none is left. */
static int build_record_skipped(struct build *b, struct err *e)
{
	size_t left = 0, i;
	int rc;

	for (i = 0; i < b->r->n_modes; i++) {
		const struct build_mode *m = &b->r->modes[i];
		struct image_ref ref = {.skipped = true};

		if (b->has[i]) {
			left++;
			continue;
		}
		memcpy(ref.mode, m->mode, sizeof(ref.mode));
		memcpy(ref.reason, m->reason, sizeof(ref.reason));
		rc = b->opts->aside ? 0 : image_ref_set(b->opts->state, b->opts->recipe, &ref, e);
		if (rc)
			return rc;
	}
	if (left)
		return 0;
	return err_set(e, ERR_IMAGE, "E_NOMODE", "mode %s: %s", b->r->modes[0].mode,
		b->r->modes[0].reason);
}

static void build_key(const struct build *b, const char *mode, char key[SHA256_HEX + 1])
{
	char *text = mem_printf("%s\n%s\n%s\n%s\n%d\n", b->opts->recipe, b->recipe_hash, b->srchash,
		mode, b->opts->allow_debug);
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	sha256_update(&ctx, strlen(text), (const uint8_t *)text);
	sha256_digest(&ctx, sizeof(digest), digest);
	str_hex(digest, sizeof(digest), key);
	free(text);
}

/* Point the mode at its image, and fill in what the result says of it. */
static int build_settle(struct build *b, struct build_mode *m, struct err *e)
{
	char hash[SHA256_HEX + 1], *file;
	struct image_ref ref = {0};
	struct image image;
	int rc = image_open(&image, b->opts->state, m->sha256, e);

	if (rc)
		return rc;
	file = mem_printf("%s/%s", image.dir, image.recipe);
	rc = image_hash_file(file, hash, &m->size, e);
	memcpy(m->version, image.version, sizeof(m->version));
	memcpy(ref.mode, m->mode, sizeof(ref.mode));
	memcpy(ref.sha256, m->sha256, sizeof(ref.sha256));
	if (!rc && !b->opts->aside)
		rc = image_ref_set(b->opts->state, b->opts->recipe, &ref, e);
	free(file);
	image_release(&image);
	return rc;
}

/* 1 when the mode's image is there, sound, and from the same inputs. */
static int build_is_up_to_date(struct build *b, struct build_mode *m)
{
	char key[SHA256_HEX + 1];
	struct image image;
	struct err e;
	int sound;

	build_key(b, m->mode, key);
	if (b->opts->force || !image_key_get(b->opts->state, key, m->sha256) ||
		image_open(&image, b->opts->state, m->sha256, &e))
		return 0;
	sound = !image_verify(&image, &e);
	image_release(&image);
	return sound;
}

/* A recipe that forgot to refuse is refused here. */
static int build_check_manifest(const struct build *b, const char *out, struct err *e)
{
	static const char *const checks[] = {"debug", "ubsan", "gcov"};
	char *file = mem_printf("%s/manifest", out), value[8];
	struct buf text;
	int rc;

	buf_init(&text, BUILD_OUT_MAX);
	rc = path_read(file, &text, e);
	if (rc)
		rc = err_set(
			e, ERR_IMAGE, "E_BUILD", "the recipe's build left no manifest in %s", out);
	for (size_t i = 0; !rc && !b->opts->allow_debug && i < 3; i++) {
		build_fact(&text, checks[i], value, sizeof(value));
		if (!strcmp(value, "y"))
			rc = err_set(e, ERR_IMAGE, "E_DEBUG",
				"the build has %s=y and would measure its checks; --allow-debug "
				"builds it all the same",
				checks[i]);
	}
	buf_release(&text);
	free(file);
	return rc;
}

static int build_mode(struct build *b, struct build_mode *m, int nth, int n, struct err *e)
{
	char jobs[16], key[SHA256_HEX + 1];
	char *out = mem_printf("%s/%s", b->out, m->mode), *log;
	const char *argv[] = {b->recipe, "build", b->work, m->mode, out, jobs, NULL};
	struct build_step st = {.what = m->mode,
		.argv = argv,
		.mode = nth,
		.n_modes = n,
		.deadline_ms = 60 * MINUTE_MS};
	int64_t began = clock_mono_ns();
	int rc;

	log = mem_printf("%s/%s.log", b->dir, m->mode);
	st.log = log;
	snprintf(jobs, sizeof(jobs), "%d", b->opts->jobs);
	build_key(b, m->mode, key);
	rc = path_mkdirs(out, e);
	if (!rc)
		rc = build_step_run(&b->steps, &st, e);
	if (!rc)
		rc = build_check_manifest(b, out, e);
	if (!rc)
		rc = image_add(b->opts->state, b->opts->recipe, out, m->sha256, e);
	if (!rc)
		rc = image_key_set(b->opts->state, key, m->sha256, e);
	m->status = BUILD_BUILT;
	m->ns = clock_mono_ns() - began;
	free(log);
	free(out);
	return rc;
}

static int build_modes(struct build *b, struct err *e)
{
	int todo[BUILD_MODES_MAX], n = 0, rc;

	for (size_t i = 0; i < b->r->n_modes; i++)
		if (b->has[i] && !build_is_up_to_date(b, &b->r->modes[i]))
			todo[n++] = (int)i;
		else if (b->has[i])
			b->r->modes[i].status = BUILD_UP_TO_DATE;
	if (n) {
		rc = build_verb(b, "preparing the source", false, 10 * MINUTE_MS, e, "prepare",
			b->source, b->work);
		if (rc)
			return rc;
	}
	for (int i = 0; i < n; i++) {
		struct build_mode *m = &b->r->modes[todo[i]];

		rc = build_mode(b, m, i + 1, n, e);
		if (!rc)
			rc = build_settle(b, m, e);
		if (rc)
			return rc;
	}
	for (size_t i = 0; i < b->r->n_modes; i++) {
		struct build_mode *m = &b->r->modes[i];

		rc = m->status == BUILD_UP_TO_DATE ? build_settle(b, m, e) : 0;
		if (rc)
			return rc;
	}
	return 0;
}

/* Work and output of this build, or of one that was killed. */
static int build_sweep(const struct build *b, struct err *e)
{
	int rc = path_remove(b->work, e);

	return rc ? rc : path_remove(b->out, e);
}

static int build_locked(struct build *b, struct err *e)
{
	struct err ignored;
	int rc = build_sweep(b, e);

	if (rc)
		return rc;
	rc = build_hash_recipe(b, e);
	if (!rc)
		rc = build_find_source(b, e);
	if (!rc)
		rc = build_describe(b, e);
	if (!rc)
		rc = build_record_skipped(b, e);
	if (!rc)
		rc = build_modes(b, e);
	/* What went wrong first is what matters. */
	(void)!build_sweep(b, &ignored);
	return rc;
}

/* The wanted modes, in the recipe's order. */
static void build_take_modes(const struct build_opts *o, struct build_result *r)
{
	const char *const *all = image_modes(o->recipe);

	*r = (struct build_result){0};
	for (; *all; all++)
		for (size_t i = 0; i < o->n_modes; i++)
			if (!strcmp(*all, o->modes[i])) {
				snprintf(r->modes[r->n_modes++].mode, MODE_MAX, "%s", *all);
				break;
			}
}

int build_run(const struct build_opts *o, struct build_result *r, struct err *e)
{
	char *rel = mem_printf("firmware-images/%s/recipe", o->recipe);
	char *ccache = mem_printf("CCACHE_DIR=%s/cache/ccache", o->state);
	const char *env[] = {ccache, "CCACHE_MAXSIZE=2G",
		o->allow_debug ? "HARNESS_ALLOW_DEBUG=1" : "HARNESS_ALLOW_DEBUG=0",
		/* A checkout of ours is looked at as it was made (git/git.h). */
		o->rev ? "GIT_CONFIG_GLOBAL=/dev/null" : NULL, "GIT_CONFIG_NOSYSTEM=1", NULL};
	struct build b = {.opts = o, .r = r};
	char *lock = NULL;
	int rc, fd = -1;

	build_take_modes(o, r);
	rc = path_data(rel, &b.recipe, e);
	if (rc)
		goto out;
	b.dir = mem_printf("%s/build/%s", o->state, o->recipe);
	b.work = mem_printf("%s/work", b.dir);
	b.cache = mem_printf("%s/cache/%s", o->state, o->recipe);
	b.out = mem_printf("%s/images/tmp/%s", o->state, o->recipe);
	lock = mem_printf("%s/lock", b.dir);
	rc = path_mkdirs(b.dir, e);
	if (!rc)
		rc = path_mkdirs(b.cache, e);
	if (rc)
		goto out;
	build_steps_init(&b.steps, o, env);
	rc = build_step_lock(&b.steps, lock, &fd, e);
	if (!rc)
		rc = build_locked(&b, e);
	build_steps_release(&b.steps);
out:
	if (fd >= 0)
		close(fd);
	free(lock);
	free(b.source);
	free(b.out);
	free(b.cache);
	free(b.work);
	free(b.dir);
	free(b.recipe);
	free(ccache);
	free(rel);
	return rc;
}
