-- SPDX-License-Identifier: GPL-3.0-or-later
-- Runs that compare builds: a mode is there once of each.

CREATE TABLE run_build (
	run INTEGER NOT NULL REFERENCES run,
	place INTEGER NOT NULL,
	name TEXT NOT NULL,
	text TEXT NOT NULL,
	PRIMARY KEY (run, place),
	UNIQUE (run, name)
) STRICT, WITHOUT ROWID;

ALTER TABLE run_mode RENAME TO run_mode_before;

CREATE TABLE run_mode (
	run INTEGER NOT NULL REFERENCES run,
	place INTEGER NOT NULL,
	build TEXT NOT NULL DEFAULT '',
	mode TEXT NOT NULL,
	image INTEGER REFERENCES image,
	reason TEXT NOT NULL,
	PRIMARY KEY (run, place),
	UNIQUE (run, build, mode)
) STRICT, WITHOUT ROWID;

INSERT INTO run_mode (run, place, mode, image, reason)
	SELECT run, place, mode, image, reason FROM run_mode_before;

DROP TABLE run_mode_before;

ALTER TABLE boot ADD COLUMN build TEXT NOT NULL DEFAULT '';
