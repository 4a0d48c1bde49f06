/* The one switch that takes guards away, so that a test can show what each of them stops. */
#include "guard/switch.h"

#ifdef CF_TEST_GUARDS

#include <stdlib.h>
#include <string.h>

bool cf_guard_is_on(const char *name)
{
    const char *at = getenv("CONFINE_TEST_WITHOUT");
    size_t len = strlen(name);
    while (at != NULL && *at != '\0') {
        size_t word = strcspn(at, ",");
        if (word == len && strncmp(at, name, len) == 0)
            return false;
        at += word + strspn(at + word, ",");
    }
    return true;
}

#else

bool cf_guard_is_on(const char *name)
{
    (void)name;
    return true;
}

#endif
