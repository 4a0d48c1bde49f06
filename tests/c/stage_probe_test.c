/* What overlays are for is proved without a trace, or the call that failed is named. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fds.h"
#include "check.h"
#include "stage/stage.h"

static void read_mounts(struct cf_bytes *to)
{
    struct cf_error err;
    CHECK_INT(cf_read_file_at(AT_FDCWD, "/proc/self/mountinfo", 1 << 20, to, &err), 0);
}

CHECK_CASE(overlays_are_proved_and_leave_nothing)
{
    struct cf_error err;
    cf_autobytes struct cf_bytes before = CF_BYTES_EMPTY, after = CF_BYTES_EMPTY;
    read_mounts(&before);
    CHECK_INT(cf_stage_probe_shadow(&err), 0);
    CHECK_INT(cf_stage_probe_layer(&err), 0);
    read_mounts(&after);
    CHECK_TEXT(after.data, before.data);
}

/* A kernel without fsopen(2), in a child. */
static bool names_the_call(void)
{
    struct cf_error err;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fsopen, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { .len = sizeof code / sizeof *code, .filter = code };
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
        return false;
    bool named = CHECK_INT(cf_stage_probe_shadow(&err), -1) &
                 CHECK_TEXT(err.message, "fsopen tmpfs: Function not implemented");
    return named & CHECK_INT(cf_stage_probe_layer(&err), -1) &
           CHECK_TEXT(err.message, "fsopen tmpfs: Function not implemented");
}

CHECK_CASE(a_call_that_is_missing_is_named)
{
    int status = -1;
    pid_t pid = fork();
    if (pid == 0)
        _exit(names_the_call() ? 0 : 1);
    CHECK_INT(waitpid(pid, &status, 0), pid);
    CHECK_INT(status, 0);
}

CHECK_MAIN
