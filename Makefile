# Builds the program, the module for stock Lua, the engine library, and the C tests.
#
#   make            build/confine-lua, build/lib/confine/core.so, build/libconfine.a, and the
#                   static confine-probe
#   make switched   build/switched/confine-lua: the same, but the environment's
#                   CONFINE_TEST_WITHOUT names guards to leave out; for tests of what each is worth
#   make c-tests    tests/c/NAME_test.c as build/c-tests/NAME_test, with ASan and UBSan
#   make fuzz       tests/fuzz/NAME.c as build/fuzz/NAME, with libFuzzer
#   make clean      everything but what scripts/deps.sh fetched
#
# A new source file in a known room needs no edit here; a new room is one word in ROOMS.

CC ?= cc
CLANG ?= clang
LUA ?= lua5.4
PKG_CONFIG ?= pkg-config
B := build

# The engine knows no Lua; the lua and vm rooms are what binds it.
ROOMS := base host stage guard launch
ENGINE := $(sort $(wildcard $(ROOMS:%=core/%/*.c)))
BINDINGS := $(sort $(wildcard core/lua/*.c core/vm/*.c))
EMBED := $(sort $(shell find lua policies 2>/dev/null))

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Werror
HARDENING := -O2 -fstack-protector-strong -D_FORTIFY_SOURCE=2 -Wl,-z,relro,-z,now
SANITIZE := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
LUA_CFLAGS := $(shell $(PKG_CONFIG) --cflags lua5.4 2>/dev/null)
LUA_STATIC := -l:liblua5.4.a -lm -ldl
SECCOMP := $(shell $(PKG_CONFIG) --libs libseccomp 2>/dev/null)
CPPFLAGS += -D_GNU_SOURCE -Icore $(LUA_CFLAGS)
CFLAGS += -std=c11 -g -fvisibility=hidden $(WARNINGS)
DEPS = -MMD -MP

engine_objects := $(ENGINE:%.c=$(B)/obj/%.o)
binding_objects := $(BINDINGS:%.c=$(B)/obj/%.o)
tested_objects := $(ENGINE:%.c=$(B)/asan/%.o) $(BINDINGS:%.c=$(B)/asan/%.o)
fuzzed_objects := $(ENGINE:%.c=$(B)/fuzzed/%.o) $(BINDINGS:%.c=$(B)/fuzzed/%.o)
helper_sources := $(filter-out %_test.c,$(wildcard tests/c/*.c))
helper_objects := $(helper_sources:%.c=$(B)/asan/%.o)
c_tests := $(patsubst tests/c/%.c,$(B)/c-tests/%,$(wildcard tests/c/*_test.c))
static_programs := $(patsubst core/%.c,$(B)/confine-%,$(wildcard core/probe.c))
fuzzers := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(wildcard tests/fuzz/*.c))

.PHONY: all switched c-tests fuzz clean
.SECONDARY:
.DELETE_ON_ERROR:

all: $(B)/confine-lua $(B)/lib/confine/core.so $(B)/libconfine.a $(static_programs)

$(B)/confine-lua: $(B)/obj/core/main.o $(B)/obj/embedded.o $(binding_objects) $(B)/libconfine.a
	$(CC) $(CFLAGS) $(HARDENING) -pie -Wl,-E $(LDFLAGS) -o $@ $^ $(LUA_STATIC) $(SECCOMP)

$(B)/lib/confine/core.so: $(binding_objects) $(B)/libconfine.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(HARDENING) -shared $(LDFLAGS) -o $@ $^ $(SECCOMP)

# What runs inside the sandbox needs nothing of it: core/NAME.c and the room core/NAME/, static.
.SECONDEXPANSION:
$(static_programs): $(B)/confine-%: $(B)/obj/core/%.o \
    $$(addprefix $(B)/obj/,$$(addsuffix .o,$$(basename $$(sort $$(wildcard core/$$*/*.c))))) \
    $(B)/libconfine.a
	$(CC) $(CFLAGS) $(HARDENING) -static $(LDFLAGS) -o $@ $^

$(B)/libconfine.a: $(engine_objects)
	rm -f $@
	$(AR) qcs $@ $^

# Only core/guard/switch.c differs; the archive's own is left out for it.
switched: $(B)/switched/confine-lua $(static_programs)

$(B)/switched/confine-lua: $(B)/obj/core/main.o $(B)/obj/embedded.o $(binding_objects) \
    $(B)/switched/switch.o $(B)/libconfine.a
	$(CC) $(CFLAGS) $(HARDENING) -pie -Wl,-E $(LDFLAGS) -o $@ $^ $(LUA_STATIC) $(SECCOMP)
	ln -sfn ../luaposix ../confine-probe $(@D)

$(B)/switched/switch.o: core/guard/switch.c core/guard/switch.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(HARDENING) -fPIC -DCF_TEST_GUARDS -c -o $@ $<

# The same objects serve the program and the shared module, hence PIC and not PIE.
$(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(HARDENING) -fPIC $(DEPS) -c -o $@ $<

$(B)/obj/core/main.o: core/main.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(HARDENING) -fPIE $(DEPS) -c -o $@ $<

# Folders are prerequisites too, so that a file that went away is noticed.
$(B)/embedded.c: tools/embed.lua $(EMBED)
	@mkdir -p $(@D)
	$(LUA) tools/embed.lua $@ lua policies

$(B)/obj/embedded.o: $(B)/embedded.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(HARDENING) -fPIE $(DEPS) -c -o $@ $<

c-tests: $(c_tests)

$(B)/asan/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests/c $(CFLAGS) $(SANITIZE) $(DEPS) -c -o $@ $<

$(B)/c-tests/%: $(B)/asan/tests/c/%.o $(helper_objects) $(tested_objects)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SANITIZE) -Wl,-E $(LDFLAGS) -o $@ $^ $(LUA_STATIC) $(SECCOMP)

fuzz: $(fuzzers)

# Clang only instruments here; what is a warning was decided above.
$(B)/fuzzed/%.o: %.c
	@mkdir -p $(@D)
	$(CLANG) $(CPPFLAGS) $(filter-out $(WARNINGS),$(CFLAGS)) $(SANITIZE) -fsanitize=fuzzer-no-link $(DEPS) -c -o $@ $<

$(B)/fuzz/%: $(B)/fuzzed/tests/fuzz/%.o $(fuzzed_objects)
	@mkdir -p $(@D)
	$(CLANG) $(CFLAGS) $(SANITIZE) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(LUA_STATIC) $(SECCOMP)

clean:
	rm -rf $(B)/switched $(B)/obj $(B)/asan $(B)/fuzzed $(B)/c-tests $(B)/fuzz $(B)/lib $(B)/embedded.c \
	    $(B)/confine-lua $(B)/libconfine.a

-include $(shell find $(B)/obj $(B)/asan $(B)/fuzzed -name '*.d' 2>/dev/null)
