/* Policy texts of any kind: the machine always comes back, with a value or with one line. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "vm/copy.h"
#include "vm/vm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const words[] = { "file.hide", "net", "include", NULL };
    static const struct cf_vm_limits limits = { .seconds = 0.05,
                                                .bytes = 1 << 20,
                                                .instructions = 100000 };
    struct cf_error err = { .message = "" };
    struct cf_vm vm;
    if (cf_vm_open(&vm, &limits, words, &err) < 0)
        abort();
    if (cf_vm_run(&vm, "fuzz.lua", (const char *)data, size, &err) < 0) {
        if (strncmp(err.message, "fuzz.lua:", 9) != 0 || strchr(err.message, '\n') != NULL)
            abort();
    } else {
        lua_State *host = luaL_newstate();
        struct cf_copy copy = { .values = SIZE_MAX };
        if (!cf_copy_value(vm.L, -1, host, &copy) || !cf_copy_value(vm.L, -2, host, &copy))
            abort();
        lua_close(host);
    }
    cf_vm_close(&vm);
    return 0;
}
