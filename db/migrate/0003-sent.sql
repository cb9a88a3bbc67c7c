-- SPDX-License-Identifier: GPL-3.0-or-later
-- Mails about runs that were sent, or may have been.

CREATE TABLE sent (
	id INTEGER PRIMARY KEY,
	run INTEGER NOT NULL REFERENCES run,
	original TEXT NOT NULL,
	message_id TEXT NOT NULL,
	recipients TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('sending', 'sent', 'refused')),
	begun_ns INTEGER NOT NULL,
	ended_ns INTEGER,
	words TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX sent_run ON sent (run, original);
