# SPDX-License-Identifier: GPL-3.0-or-later
# `make help` lists what can be made.
BUILD  ?= build
CC     ?= cc
PREFIX ?= /usr/local
OPT    ?= -O2 -g
PKGS   := libuv libmicrohttpd sqlite3 gsl jansson libzstd zlib nettle inih libcurl
JOBS   ?= $(shell nproc)

VERSION := $(shell git -c safe.directory='$(CURDIR)' describe --always --dirty --tags 2>/dev/null || echo unknown)

CPPFLAGS += -D_GNU_SOURCE -I. -I$(BUILD) -DHARNESS_PREFIX='"$(PREFIX)"'
CFLAGS   += -std=c17 $(OPT) -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	    -Wformat=2 -Wwrite-strings -Wundef -Wpointer-arith -Wvla -fno-strict-overflow \
	    $(SANITIZE:%=-fsanitize=%) $(if $(SANITIZE),-fno-omit-frame-pointer -fno-sanitize-recover=all)
LDFLAGS  += $(SANITIZE:%=-fsanitize=%)

# Asked once, and not before something is compiled: `make check` installs pkg-config first.
PKG_CFLAGS = $(eval PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS)))$(PKG_CFLAGS)
PKG_LIBS   = $(eval PKG_LIBS := $(shell pkg-config --libs $(PKGS)) -lm -lutil)$(PKG_LIBS)

SRCS := $(filter-out harness/main.c,$(wildcard harness/*.c harness/base/*.c harness/git/*.c harness/bisect/*.c \
	  harness/mail/*.c harness/stats/*.c firmware-images/*.c targets/*.c db/*.c reports/*.c))

# Sets of files kept in the binary as embed_SET[] (harness/base/embed.h): SET, its folder, its files.
EMBED         := sql ipxe html schema
sql_folder    := db
sql_files     := $(wildcard db/schema.sql db/migrate/*.sql)
ipxe_folder   := firmware-images
ipxe_files    := $(wildcard firmware-images/*.ipxe firmware-images/ipxe/*.ipxe)
html_folder   := reports/html
html_files    := $(wildcard reports/html/*.css reports/html/*.js)
schema_folder := reports/schema
schema_files  := $(wildcard reports/schema/*.json)

OBJS := $(SRCS:%.c=$(BUILD)/obj/%.o) $(EMBED:%=$(BUILD)/embed_%.o)
UNITS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/test_*.c))
TOOLS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/tools/*.c))
FUZZ  := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/fuzz/fuzz_*.c))
MANS  := $(patsubst man/%.scd,$(BUILD)/man/%,$(wildcard man/*.scd))

MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
.SECONDEXPANSION:

.PHONY: all
all: $(BUILD)/harness ## Build the program

# Written again only when what it says has changed.
define keep
@mkdir -p $(@D); printf '%s\n' $(1) | cmp -s - $@ || printf '%s\n' $(1) >$@
endef
.PHONY: FORCE
$(BUILD)/flags: FORCE
	$(call keep,'$(CC) $(OPT) $(SANITIZE) $(PREFIX)')
$(BUILD)/version.h: FORCE
	$(call keep,'#define HARNESS_VERSION "$(VERSION)"')

$(BUILD)/obj/%.o: %.c $(BUILD)/flags | $(BUILD)/version.h
	@mkdir -p $(@D)
	@echo "CC $<"
	@$(CC) $(CPPFLAGS) $(PKG_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# The folders too: taking a file away changes only them.
$(EMBED:%=$(BUILD)/embed_%.c): $(BUILD)/embed_%.c: scripts/embed.sh $$($$*_files) \
		$$(sort $$(dir $$($$*_files)))
	@mkdir -p $(@D)
	@echo "EMBED $@"
	@scripts/embed.sh $* $($*_folder) $($*_files) >$@
$(EMBED:%=$(BUILD)/embed_%.o): $(BUILD)/embed_%.o: $(BUILD)/embed_%.c $(BUILD)/flags
	@echo "CC $<"
	@$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/libharness.a: $(OBJS)
	@rm -f $@
	@echo "AR $@"
	@$(AR) rcs $@ $^

$(BUILD)/harness: $(BUILD)/obj/harness/main.o $(BUILD)/libharness.a
	@echo "LD $@"
	@$(CC) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

$(BUILD)/tests/unit/%: $(BUILD)/obj/tests/unit/%.o $(BUILD)/libharness.a
	@mkdir -p $(@D)
	@echo "LD $@"
	@$(CC) $(LDFLAGS) -o $@ $^ -lcmocka $(PKG_LIBS)

# Counts what the library allocates, with sanitizers as without.
$(BUILD)/tests/unit/test_probe_alloc: LDFLAGS += $(patsubst %,-Wl$(comma)--wrap=%,\
	malloc calloc realloc reallocarray strdup strndup vasprintf)
comma := ,

# A program of its own beside the tests that use it.
$(BUILD)/tests/tools/%: $(BUILD)/obj/tests/tools/%.o $(BUILD)/libharness.a
	@mkdir -p $(@D)
	@echo "LD $@"
	@$(CC) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

# What the fuzz targets are about, compiled to tell them which of its parts an input has reached.
COVERED := $(wildcard targets/target*.c harness/probe*.c harness/netboot*.c harness/telnet.c harness/linebuf.c \
	harness/redfish_parse.c harness/script.c harness/dataset.c harness/decimal.c harness/record.c \
	$(wildcard $(addprefix harness/mail/,encoding.c message*.c mbox.c diff.c mend*.c subject.c series*.c)))
$(BUILD)/covered/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "CC $< (covered)"
	@$(CC) $(CPPFLAGS) $(PKG_CFLAGS) $(CFLAGS) -fsanitize-coverage=trace-pc -MMD -MP -c -o $@ $<
$(BUILD)/libcovered.a: $(COVERED:%.c=$(BUILD)/covered/%.o)
	@rm -f $@
	@echo "AR $@"
	@$(AR) rcs $@ $^

FUZZ_DRIVER := $(patsubst %,$(BUILD)/obj/tests/fuzz/%.o,driver corpus coverage)
$(BUILD)/tests/fuzz/%: $(BUILD)/obj/tests/fuzz/%.o $(FUZZ_DRIVER) $(BUILD)/libcovered.a $(BUILD)/libharness.a
	@mkdir -p $(@D)
	@echo "LD $@"
	@$(CC) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

$(BUILD)/man/%: man/%.scd
	@mkdir -p $(@D)
	@echo "MAN $@"
	@SOURCE_DATE_EPOCH=$$(stat -c %Y $<) scdoc <$< >$@

.PHONY: man
man: $(MANS) ## Build the man pages

# Packages come first and a second make builds: only then may pkg-config be asked.
.PHONY: deps demo demo-built
deps: ## Install the Debian packages that building and running need
	@scripts/deps.sh run
demo: deps ## Do everything from nothing: packages, build, images, a run on the virtual lab
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@$(MAKE) --no-print-directory demo-built
demo-built:
	$(BUILD)/harness build --image xen --modes all
	$(BUILD)/harness run --machine vlab --modes all

# Tests.  The sanitized objects lie beside the plain ones.
SAN   := $(BUILD)-san
SANMK := $(MAKE) --no-print-directory BUILD=$(SAN) SANITIZE='address undefined'
E2E    := $(wildcard tests/e2e/*.t)
FAULTS := $(wildcard tests/faults/*.t)

.PHONY: check check-built check-long units units-san fuzz lint images e2e
check: ## Run all tests; installs what they need
	@scripts/deps.sh check
	@$(MAKE) --no-print-directory check-built
	@echo 'make check: ok'
check-built:
	@$(MAKE) --no-print-directory -j$(JOBS) all man $(UNITS) $(TOOLS)
	@$(SANMK) -j$(JOBS) all $(UNITS:$(BUILD)/%=$(SAN)/%) $(FUZZ:$(BUILD)/%=$(SAN)/%)
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory units
	@$(MAKE) --no-print-directory units-san
	@$(MAKE) --no-print-directory fuzz
	@$(if $(E2E)$(FAULTS),$(MAKE) --no-print-directory e2e)

lint: $(MANS) ## Check layers, style, scripts and man pages
	BUILD=$(BUILD) prove -f -o -j$(JOBS) $(wildcard tests/lint/*.t)

units: $(UNITS) ## Run the unit tests
	CMOCKA_MESSAGE_OUTPUT=TAP prove -f -o -j$(JOBS) --exec '' $(UNITS)
units-san: ## Run the unit tests under AddressSanitizer and UBSan
	@$(SANMK) -j$(JOBS) units

# A minute each where CI is set, unless the caller says otherwise.
fuzz: export FUZZ_SECONDS := $(or $(FUZZ_SECONDS),$(if $(CI),$(if $(FUZZ_ROUNDS),,60)))
fuzz: ## Run the fuzz targets: a short time, a minute each in CI (FUZZ_SECONDS, FUZZ_ROUNDS, FUZZ_SEED)
	@$(SANMK) -j$(JOBS) fuzz-here
.PHONY: fuzz-here
fuzz-here: $(FUZZ)
	$(if $(FUZZ),prove -f -o -j$(JOBS) --exec '' $(FUZZ))

# Built once and kept; the tests take them from this state folder and write their own elsewhere.
STATE := $(BUILD)/state
images: $(BUILD)/harness ## Build the images that the end-to-end tests boot
	$(BUILD)/harness build --image xen --modes all --state $(STATE)

e2e: all $(TOOLS) images ## Run the end-to-end and fault tests on the virtual lab
	@$(SANMK) -j$(JOBS) all
	HARNESS_BIN=$${HARNESS_BIN:-$(SAN)/harness} HARNESS_IMAGES=$(STATE) BUILD=$(BUILD) \
		scripts/strays.sh prove -f -o -j$(JOBS) --timer $(E2E) $(FAULTS)

# No measurement is worth keeping from a machine that others use: nothing is written down.
.PHONY: bench
bench: $(BUILD)/harness $(addprefix $(BUILD)/tests/tools/,bench_values bench_probe sim_lab) images ## Time stat against ministat, the probe parser against grep, and load a controller (BENCH_VALUES, BENCH_MIB, BENCH_RUNS, BENCH_MACHINES)
	tests/bench/stat.py $(BUILD)/harness $(BUILD)/tests/tools/bench_values
	tests/bench/probe.py $(BUILD)/tests/tools/bench_probe tests/data/console-cluster.txt
	tests/bench/load.py $(BUILD)/harness $(BUILD)/tests/tools/sim_lab tests/data/console-cluster.txt $(STATE) \
		--machines $(or $(BENCH_MACHINES),256)

check-long: ## Run everything on fresh Debian 12 and 13 systems, and fuzz for long; wants root
	@scripts/deps.sh check
	@FUZZ_ROUNDS=$${FUZZ_ROUNDS:-3000000} $(MAKE) --no-print-directory fuzz
	prove -v $(wildcard tests/long/*.t)
	scripts/fresh.sh bookworm bash -c 'bash .ci/run && make demo'
	scripts/fresh.sh trixie bash -c 'bash .ci/run && make demo'
	@echo 'make check-long: ok'

# Installed: the program, what it reads, and the manual.  State is never installed.
DATA := $(wildcard targets/*.ini targets/README.md firmware-images/PROTOCOL.md) \
	$(wildcard reports/FORMATS.md reports/schema/*.json) \
	$(shell find harness/ipmitool -type f 2>/dev/null | sort) \
	$(shell find firmware-images -mindepth 2 -type f 2>/dev/null | sort)
SHARE := $(DESTDIR)$(PREFIX)/share

.PHONY: install uninstall clean format help
install: all man ## Install below PREFIX (/usr/local); DESTDIR is put before it
	install -D -m 755 $(BUILD)/harness $(DESTDIR)$(PREFIX)/bin/harness
	@set -e; for f in $(DATA); do \
		mode=644; ! test -x $$f || mode=755; \
		install -D -m $$mode $$f $(SHARE)/harness/$$f; \
	done
	@set -e; for f in $(notdir $(MANS)); do \
		install -D -m 644 $(BUILD)/man/$$f $(SHARE)/man/man$${f##*.}/$$f; \
	done
uninstall: ## Remove what install put there
	rm -f $(DESTDIR)$(PREFIX)/bin/harness
	rm -rf $(SHARE)/harness
	@for f in $(notdir $(MANS)); do rm -f $(SHARE)/man/man$${f##*.}/$$f; done

clean: ## Remove all that was built, images too
	rm -rf $(BUILD) $(SAN)

format: ## Lay out the C files as .clang-format says
	clang-format -i $$(git ls-files -co --exclude-standard '*.[ch]' | grep -v '^firmware-images/.*/')

help: ## Print this list
	@sed -n 's/^\([a-z][a-z0-9-]*\):.*## /\1\t/p' Makefile | sort | \
		while IFS="$$(printf '\t')" read -r name text; do printf '  %-12s %s\n' "$$name" "$$text"; done

-include $(OBJS:.o=.d) $(BUILD)/obj/harness/main.d \
	$(patsubst $(BUILD)/%,$(BUILD)/obj/%.d,$(UNITS) $(TOOLS) $(FUZZ)) $(FUZZ_DRIVER:.o=.d) \
	$(COVERED:%.c=$(BUILD)/covered/%.d)
