-- SPDX-License-Identifier: GPL-3.0-or-later
-- Which samples of a boot count, and runs in two stages.

ALTER TABLE run ADD COLUMN keep_rule TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN until_width REAL NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN until_pilot INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN until_max INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN until_wanted INTEGER NOT NULL DEFAULT 0;
