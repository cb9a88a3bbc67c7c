-- SPDX-License-Identifier: GPL-3.0-or-later
-- Runs, their boots and everything measured in them.  What each table holds: schema.sql.

PRAGMA application_id = 0x48504631;

CREATE TABLE machine (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	description TEXT NOT NULL,
	cpu_model TEXT NOT NULL,
	firmware TEXT NOT NULL CHECK (firmware IN ('bios', 'uefi')),
	firmware_version TEXT NOT NULL,
	emulated INTEGER NOT NULL CHECK (emulated IN (0, 1)),
	settings TEXT NOT NULL,
	UNIQUE (name, settings)
) STRICT;

CREATE TABLE workload (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE image (
	id INTEGER PRIMARY KEY,
	sha256 TEXT NOT NULL,
	recipe TEXT NOT NULL,
	mode TEXT NOT NULL,
	version TEXT NOT NULL,
	source_version TEXT NOT NULL,
	compiler TEXT NOT NULL,
	build_id TEXT NOT NULL,
	config_hash TEXT NOT NULL,
	probe_version TEXT NOT NULL,
	source_hash TEXT NOT NULL,
	debug INTEGER NOT NULL CHECK (debug IN (0, 1)),
	UNIQUE (sha256, recipe, mode, version, source_version, compiler, build_id, config_hash,
		probe_version, source_hash, debug)
) STRICT;

CREATE TABLE run (
	id INTEGER PRIMARY KEY,
	uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
	short TEXT NOT NULL UNIQUE CHECK (length(short) >= 4),
	machine INTEGER NOT NULL REFERENCES machine,
	workload INTEGER NOT NULL REFERENCES workload,
	boots INTEGER NOT NULL,
	samples INTEGER NOT NULL,
	iterations INTEGER NOT NULL,
	warmup INTEGER NOT NULL,
	repeat INTEGER NOT NULL,
	total INTEGER NOT NULL,
	seed INTEGER NOT NULL,
	extra_args TEXT NOT NULL,
	again TEXT NOT NULL,
	harness_version TEXT NOT NULL,
	user TEXT NOT NULL,
	host TEXT NOT NULL,
	emulator TEXT NOT NULL,
	started_ns INTEGER NOT NULL,
	live_boot INTEGER,
	live_stage TEXT,
	ended INTEGER NOT NULL DEFAULT 0 CHECK (ended IN (0, 1)),
	end_class INTEGER NOT NULL DEFAULT 0,
	end_code TEXT NOT NULL DEFAULT '',
	end_msg TEXT NOT NULL DEFAULT '',
	wall_ns INTEGER NOT NULL DEFAULT 0,
	machine_ns INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX run_started ON run (started_ns);
CREATE INDEX run_machine ON run (machine, started_ns);
CREATE INDEX run_open ON run (machine) WHERE ended = 0;

CREATE TABLE run_mode (
	run INTEGER NOT NULL REFERENCES run,
	place INTEGER NOT NULL,
	mode TEXT NOT NULL,
	image INTEGER REFERENCES image,
	reason TEXT NOT NULL,
	PRIMARY KEY (run, place),
	UNIQUE (run, mode)
) STRICT, WITHOUT ROWID;

CREATE TABLE boot (
	id INTEGER PRIMARY KEY,
	run INTEGER NOT NULL REFERENCES run,
	number INTEGER NOT NULL CHECK (number >= 1),
	place INTEGER NOT NULL,
	block INTEGER NOT NULL,
	attempt INTEGER NOT NULL,
	will_retry INTEGER NOT NULL CHECK (will_retry IN (0, 1)),
	mode TEXT NOT NULL,
	effective TEXT NOT NULL,
	outcome TEXT NOT NULL,
	stage TEXT NOT NULL,
	err_class INTEGER NOT NULL,
	err_code TEXT NOT NULL,
	err_msg TEXT NOT NULL,
	image INTEGER REFERENCES image,
	nonce TEXT NOT NULL,
	command_line TEXT NOT NULL,
	started_ns INTEGER NOT NULL,
	flags TEXT NOT NULL,
	stages TEXT NOT NULL,
	facts TEXT NOT NULL,
	console_len INTEGER NOT NULL,
	console BLOB NOT NULL,
	UNIQUE (run, number)
) STRICT;

CREATE TABLE sample (
	boot INTEGER NOT NULL REFERENCES boot,
	workload INTEGER NOT NULL REFERENCES workload,
	place INTEGER NOT NULL,
	warmup INTEGER NOT NULL CHECK (warmup IN (0, 1)),
	ns INTEGER NOT NULL,
	tsc INTEGER NOT NULL,
	PRIMARY KEY (boot, workload, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
	run INTEGER NOT NULL REFERENCES run,
	place INTEGER NOT NULL,
	boot_number INTEGER,
	mono_ns INTEGER NOT NULL,
	what TEXT NOT NULL,
	detail TEXT NOT NULL,
	PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;
