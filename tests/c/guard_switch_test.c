/* The switch that takes guards away works in the test build and nowhere else. */
#include <stdlib.h>

#include "check.h"
#include "guard/switch.h"

/* The test build's own copy beside the one that this program is linked with. */
#define CF_TEST_GUARDS
#define cf_guard_is_on is_on_in_the_test_build
bool is_on_in_the_test_build(const char *name);
#include "../../core/guard/switch.c"
#undef cf_guard_is_on

CHECK_CASE(an_ordinary_build_does_not_look_at_the_environment)
{
    setenv("CONFINE_TEST_WITHOUT", "seccomp", 1);
    CHECK(cf_guard_is_on("seccomp"));
    unsetenv("CONFINE_TEST_WITHOUT");
}

CHECK_CASE(a_test_build_leaves_out_what_is_named)
{
    CHECK(is_on_in_the_test_build("seccomp"));
    setenv("CONFINE_TEST_WITHOUT", "", 1);
    CHECK(is_on_in_the_test_build("seccomp"));
    setenv("CONFINE_TEST_WITHOUT", "landlock,seccomp,,stdin", 1);
    CHECK(!is_on_in_the_test_build("seccomp"));
    CHECK(!is_on_in_the_test_build("landlock"));
    CHECK(!is_on_in_the_test_build("stdin"));
    CHECK(is_on_in_the_test_build("sec"));
    CHECK(is_on_in_the_test_build("seccomps"));
    CHECK(is_on_in_the_test_build("rlimits"));
    unsetenv("CONFINE_TEST_WITHOUT");
}

CHECK_MAIN
