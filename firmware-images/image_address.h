/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The address of an image: one hash over all of its files.
 *
 * SHA-256 of what `sha256sum FILES` prints for them in the order of their names, so that
 *     (cd DIR && LC_ALL=C && sha256sum $(ls | grep -v manifest)) | sha256sum
 * gives it too.  Two images that differ in any file differ in their address.
 */
#ifndef HARNESS_IMAGE_ADDRESS_H
#define HARNESS_IMAGE_ADDRESS_H

#include <jansson.h>

#include "harness/result.h"

/* files: an object of name -> SHA-256 as hex (other values are passed over). */
void image_address(const json_t *files, char out[SHA256_HEX + 1]);

#endif
