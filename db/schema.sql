-- SPDX-License-Identifier: GPL-3.0-or-later
-- The whole schema as the newest migration leaves it, for people to read.  What is executed are the files
-- in migrate/, in order; a unit test holds that both give the same tables.
--
-- Times are ns: *_ns of a moment since 1970 UTC where it is called started, else since the run's start.

PRAGMA application_id = 0x48504631; -- "HPF1"

-- A lab host as its target file described it when a run began; a changed file makes another row
-- with the same name.  settings: every key but where the password comes from, as "key = value" lines.
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

-- What a probe times: "flush-all".
CREATE TABLE workload (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE
) STRICT;

-- An image of the system under test, as its manifest describes it.  source_version is a commit or the
-- version of a source package.
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

-- A plan of boots on one machine.  short is the shortest prefix of the UUID that was unique when the run
-- began, and stays its id.  boots is per mode, total the number of places in the plan; seed is an
-- unsigned 64-bit number in a signed column.  live_* say where the run is while it goes on; the end_*
-- columns why it ended early (class 0: it did not), classes as exit statuses.  machine_ns is what of
-- wall_ns the machine took: firmware to probe, and settle times.  keep_rule says which samples of a boot
-- count ('' in a run that began before it was stored: those after the warm-up).  until_*: a run in two
-- stages, 0 in one of one stage; width is the relative half width asked for (0.01: 1 %), pilot and max boots
-- a mode, wanted what the pilot asks for in all (0: it had no answer, or is not over).  boots and total are
-- those of the pilot until it has its answer.
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
	machine_ns INTEGER NOT NULL DEFAULT 0,
	keep_rule TEXT NOT NULL DEFAULT '',
	until_width REAL NOT NULL DEFAULT 0,
	until_pilot INTEGER NOT NULL DEFAULT 0,
	until_max INTEGER NOT NULL DEFAULT 0,
	until_wanted INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX run_started ON run (started_ns);
CREATE INDEX run_machine ON run (machine, started_ns);
CREATE INDEX run_open ON run (machine) WHERE ended = 0;

-- The builds that a run compares, in order; the others are compared with the first.  A run without builds
-- compares modes alone.  text: where it comes from, in words.
CREATE TABLE run_build (
	run INTEGER NOT NULL REFERENCES run,
	place INTEGER NOT NULL,
	name TEXT NOT NULL,
	text TEXT NOT NULL,
	PRIMARY KEY (run, place),
	UNIQUE (run, name)
) STRICT, WITHOUT ROWID;

-- The modes that were asked for, in order, build by build.  No image: skipped, and reason says why.
-- build: '' in a run without builds.
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

-- One netboot.  number counts from 1 in the order in which they ran; place is where in the plan, from 0,
-- and a repetition has the place of what it repeats.  mode was asked for, effective is what the
-- hypervisor said.  Only outcome "ok" takes part in comparisons.  stages: {"firmware": {"start": ns,
-- "ns": ns, "settle": ns}, …} of the stages reached, start counting from the run's start.  facts: what the
-- hypervisor said of itself.  console: the whole log, console_len bytes, as one zstd frame; it comes after the
-- other columns so that reading those does not touch its pages (build, '' in a run without builds, is
-- younger; an empty text is not looked for there).
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
	build TEXT NOT NULL DEFAULT '',
	UNIQUE (run, number)
) STRICT;

-- One timing each, in the order in which they were taken, those of the warm-up included.  tsc is an
-- unsigned 64-bit number in a signed column.  No row id: this is the table that grows, and the
-- key keeps a boot's rows together.
CREATE TABLE sample (
	boot INTEGER NOT NULL REFERENCES boot,
	workload INTEGER NOT NULL REFERENCES workload,
	place INTEGER NOT NULL,
	warmup INTEGER NOT NULL CHECK (warmup IN (0, 1)),
	ns INTEGER NOT NULL,
	tsc INTEGER NOT NULL,
	PRIMARY KEY (boot, workload, place)
) STRICT, WITHOUT ROWID;

-- The run's log: fetches, power commands, remarks.  boot_number: the boot that went on, or NULL.
CREATE TABLE event (
	run INTEGER NOT NULL REFERENCES run,
	place INTEGER NOT NULL,
	boot_number INTEGER,
	mono_ns INTEGER NOT NULL,
	what TEXT NOT NULL,
	detail TEXT NOT NULL,
	PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;

-- Mails about a run, a row for each time that one was about to be sent.  original: Message-ID of what it
-- answers.  'sending' is written before and stays when we were killed, or the connection was lost after the
-- mail's end: it may have been sent.  'refused': it was not.  words: the server's last ones, or the error.
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
