/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Images of the system under test, stored under the SHA-256 of their bytes.
 *
 * Layout below STATE/images:
 *   sha256/<64 hex>/            one image: its files and manifest.json; never changed once there
 *   refs/<recipe>/<mode>.json   what `harness build` made last for that mode: {"sha256": …} or
 *                               {"skipped": "reason"}
 *   keys/<64 hex>               what a build with these inputs made: an address and a newline
 *   tmp/                        folders being filled; whoever holds the build lock may empty it
 * The address is one hash over all files (image_address.h); the main file has the recipe's name
 * ("xen").  An image folder appears by rename, whole and on disk.
 */
#ifndef HARNESS_IMAGE_H
#define HARNESS_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/err.h"
#include "harness/result.h"

enum { IMAGE_FILES_MAX = 8 };

/* What manifest.json says. */
struct image {
	char sha256[SHA256_HEX + 1];
	char *dir;	 /* absolute; owned */
	char recipe[32]; /* "xen" */
	char mode[MODE_MAX];
	char version[48]; /* "4.17.5" */
	char commit[96];  /* commit or source package version */
	char compiler[128];
	char main_file[48];    /* what is netbooted: "xen", or "xen.efi" after image_for_uefi() */
	char build_id[96];     /* of main_file */
	char efi_build_id[96]; /* "" when there is no UEFI file */
	char config_hash[SHA256_HEX + 1];
	char probe_version[16];
	char source_hash[SHA256_HEX + 1];
	bool debug; /* built with DEBUG, UBSAN or gcov: measures the checks */
	bool dirty; /* from a tree with changes that no commit holds */
};

/* What a mode stands for at the moment. */
struct image_ref {
	char mode[MODE_MAX];
	bool skipped;
	char reason[256];	     /* why it was skipped */
	char sha256[SHA256_HEX + 1]; /* when not skipped */
};

/* The current reference of a mode; class image, E_NOIMAGE when there is none (the message names the
 * build command). */
int image_ref_get(const char *state, const char *recipe, const char *mode, struct image_ref *r,
	struct err *e) must_check;
int image_ref_set(
	const char *state, const char *recipe, const struct image_ref *r, struct err *e) must_check;

/* The image that a build with these inputs made; key is 64 hex digits.  1 with sha256 filled, or 0
 * when there is none (any more). */
int image_key_get(const char *state, const char *key, char sha256[SHA256_HEX + 1]);
int image_key_set(const char *state, const char *key, const char *sha256, struct err *e) must_check;

/* A stored image by the first digits of its address, 4 or more (case does not matter).  Class
 * usage, E_NOIMAGE, when none or several begin so. */
int image_find(const char *state, const char *prefix, char sha256[SHA256_HEX + 1],
	struct err *e) must_check;

/* Load the manifest of a stored image; class image, E_NOIMAGE or E_MANIFEST. */
int image_open(struct image *i, const char *state, const char *sha256, struct err *e) must_check;
void image_release(struct image *i); /* safe to call twice */

/* Boot the UEFI file of the image; class image, E_NOIMAGE when the toolchain made none. */
int image_for_uefi(struct image *i, struct err *e) must_check;

/* Check every file against the manifest and the manifest against the address; class image,
 * E_DAMAGED. */
int image_verify(const struct image *i, struct err *e) must_check;

/* Move a finished folder (main file, other files, `manifest` of key=value lines from the recipe)
 * into the store; it must lie on the same file system.  An image that is there already and sound is
 * kept and the folder removed.  sha256 receives the address.  On failure the folder is still the
 * caller's. */
int image_add(const char *state, const char *recipe, const char *dir, char sha256[SHA256_HEX + 1],
	struct err *e) must_check;

/* SHA-256 of a file, as hex; size (may be NULL) receives its length in bytes. */
int image_hash_file(
	const char *file, char out[SHA256_HEX + 1], uint64_t *size, struct err *e) must_check;

/* Modes that a recipe knows, in the order of reports (the first is the reference): for "xen" mixed,
 * physical, cluster.  NULL for an unknown recipe. */
const char *const *image_modes(const char *recipe);

/* "all", or modes separated by commas, into names[] in the order given; names come from
 * image_modes() and stay valid.  *n is the room in names[] and receives the count.  Unknown, empty
 * or doubled names and an unknown recipe are class usage. */
int image_modes_parse(const char *recipe, const char *list, const char **names, size_t *n,
	struct err *e) must_check;

#endif
