/* Kernel, ids and programs are told as they are; what could not be tried is not a no. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "check.h"
#include "host/ids.h"
#include "host/kernel.h"
#include "host/program.h"
#include "scratch.h"

static char shown[8192];

CHECK_CASE(a_user_namespace_is_tried_in_a_child)
{
    struct cf_error err;
    struct stat before, after;
    CHECK_INT(stat("/proc/self/ns/user", &before), 0);
    int allowed = cf_kernel_try_userns(&err);
    CHECK(allowed == 0 || allowed == 1);
    CHECK_INT(stat("/proc/self/ns/user", &after), 0);
    CHECK_INT(after.st_ino, before.st_ino);
}

static int userns_without_processes(void)
{
    struct cf_error err;
    struct rlimit none = { 0, 0 };
    if (setrlimit(RLIMIT_NPROC, &none) < 0 || cf_kernel_try_userns(&err) != -1)
        return 1;
    return CHECK_TEXT(err.message, "fork: Resource temporarily unavailable") ? 0 : 1;
}

CHECK_CASE(what_cannot_be_tried_is_not_a_no)
{
    if (geteuid() != 0)
        CHECK_SKIP("root, to become a user without processes");
    CHECK_INT(as_user(SOMEBODY, userns_without_processes), 0);
}

CHECK_CASE(the_kernel_is_named)
{
    struct cf_kernel kernel;
    struct utsname name;
    struct cf_error err;
    uname(&name);
    CHECK_INT(cf_kernel_read(&kernel, &err), 0);
    CHECK_TEXT(kernel.release, name.release);
    CHECK_TEXT(kernel.machine, name.machine);
    CHECK(kernel.landlock >= 0);
}

static int ids_of_somebody(void)
{
    struct cf_ids ids;
    struct cf_error err;
    if (cf_ids_read(&ids, &err) < 0)
        return 1;
    bool right = CHECK_INT(ids.euid, SOMEBODY) && CHECK_INT(ids.gid, SOMEBODY) &&
                 CHECK_INT(ids.group_count, 0);
    cf_ids_free(&ids);
    return right ? 0 : 1;
}

CHECK_CASE(ids_and_the_password_file)
{
    struct cf_passwd passwd;
    struct cf_error err;
    if (geteuid() == 0)
        CHECK_INT(as_user(SOMEBODY, ids_of_somebody), 0);
    CHECK_INT(cf_passwd_read(0, &passwd, &err), 1);
    CHECK_TEXT(passwd.name, "root");
    CHECK_TEXT(passwd.dir, "/root");
    cf_passwd_free(&passwd);
    CHECK_INT(cf_passwd_read(SOMEBODY, &passwd, &err), 0);
    CHECK(passwd.name == NULL);
}

static const char *find(const char *name, const char *path)
{
    struct cf_error err;
    char *found = cf_program_find(name, path, &err);
    snprintf(shown, sizeof shown, "%s", found != NULL ? found : err.message);
    free(found);
    return shown;
}

CHECK_CASE(a_program_is_found_as_a_shell_finds_it)
{
    char path[512], wanted[128];
    scratch_open();
    scratch_dir("a", 0755);
    scratch_dir("b", 0755);
    scratch_file("a/p", "", 0644);
    scratch_file("b/p", "", 0755);
    scratch_file("a/q", "", 0644);
    scratch_dir("b/d", 0755);
    snprintf(path, sizeof path, "%s:/no/such:%s", scratch("a"), scratch("b"));
    snprintf(wanted, sizeof wanted, "%s", scratch("b/p"));
    CHECK_TEXT(find("p", path), wanted);
    CHECK_TEXT(find("q", path), "find q: Permission denied");
    CHECK_TEXT(find("d", path), "find d: Permission denied");
    CHECK_TEXT(find("r", path), "find r: No such file or directory");
    CHECK_TEXT(find("", path), "find : No such file or directory");
    CHECK_TEXT(find(scratch("b/p"), ""), wanted);
    scratch_close();
}

CHECK_CASE(folders_that_depend_on_where_one_stands_are_passed_over)
{
    char before[4096];
    CHECK(getcwd(before, sizeof before) != NULL);
    scratch_open();
    scratch_file("p", "", 0755);
    scratch_dir("bin", 0755);
    scratch_file("bin/p", "", 0755);
    CHECK_INT(chdir(scratch("")), 0);
    CHECK_TEXT(find("p", "bin"), "find p: No such file or directory");
    CHECK_TEXT(find("p", ":.:"), "find p: No such file or directory");
    CHECK_TEXT(find("p", ""), "find p: No such file or directory");
    CHECK_INT(chdir(before), 0);
    scratch_close();
}

CHECK_MAIN
