# The front door; the build of record is meson.build.
.POSIX:
PREFIX = /usr/local
BUILD = build

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet

$(BUILD)/build.ninja:
	@tools/setup
	@meson setup $(BUILD) --prefix=$(PREFIX) >$(BUILD).log 2>&1 || { cat $(BUILD).log; rm -f $(BUILD).log; exit 1; }
	@sed -n '/Optional parts/,/^$$/p' $(BUILD).log; rm -f $(BUILD).log

demo: all
	@tools/demo

check:
	@tools/setup
	@tools/check

check-full:
	@tools/setup
	@tools/check full

check-python:
	@tools/setup
	@tools/check python

asan:
	@tools/setup
	@tools/check asan

fuzz:
	@tools/fuzz

soak: all
	@tests/soak/soak $(SOAK)

bench: all
	@bench/run

gallery: all
	@docs/make-pictures $(BUILD)/halfspace

install: $(BUILD)/build.ninja
	@meson configure $(BUILD) --prefix=$(PREFIX)
	@ninja -C $(BUILD) --quiet
	@meson install -C $(BUILD) --no-rebuild

clean:
	@rm -rf build build-asan build-fuzz build-wheel demo

.PHONY: all demo check check-full check-python asan fuzz soak bench gallery install clean
