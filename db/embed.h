/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The SQL files of this folder: "migrate/NNNN-*.sql", then "schema.sql" (the order of their names).
 */
#ifndef DB_EMBED_H
#define DB_EMBED_H

#include "harness/base/embed.h"

extern const struct embed embed_sql[]; /* see harness/base/embed.h */
extern const size_t embed_sql_count;   /* without the closing entry */

#endif
