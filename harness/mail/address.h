/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of mail addresses, as From, To and Cc have them (RFC 5322, 3.4).  Pure.
 *
 * A mailbox is a name (may be "") and an address.  Groups are taken apart, comments are left out
 * but for "address (Name)", which names it.  What is no address of ASCII with one '@' and a domain,
 * as archives mask them, is no mailbox: address_parse() puts it aside.
 */
#ifndef HARNESS_MAIL_ADDRESS_H
#define HARNESS_MAIL_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/buf.h"

struct address {
	char *name; /* as it came, quotes taken off: UTF-8 or encoded words; "" for none */
	char *addr; /* "local@domain" */
};

struct address_list {
	struct address *v;
	size_t n;
	char **bad; /* n_bad that are none, as they came */
	size_t n_bad;
};

/* Empty when zeroed.  Release leaves it so. */
void address_list_release(struct address_list *l);

/* Append the mailboxes of a field's value (unfolded; NULL: none). */
void address_parse(struct address_list *l, const char *value);

/* Append a copy unless its address (any case) is there already. */
void address_add(struct address_list *l, const struct address *a);
bool address_has(const struct address_list *l, const char *addr);
void address_remove(struct address_list *l, const char *addr);

/* "Name <local@domain>" for a header field of ours, in ASCII: the name quoted or as encoded words
 * where it must be. */
void address_write(struct buf *out, const struct address *a);

#endif
