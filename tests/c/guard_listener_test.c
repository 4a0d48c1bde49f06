/* A seccomp listener: proved where one can be had, and the reason told where another is there. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "guard/listener.h"

CHECK_CASE(a_listener_can_be_proved)
{
    struct cf_error err;
    CHECK_INT(cf_listener_available(&err), 0);
}

static bool prove_below_another(void)
{
    struct cf_error err;
    struct sock_filter code[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
    struct sock_fprog program = { .len = 1, .filter = code };
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                &program) < 0)
        return false;
    return CHECK_INT(cf_listener_available(&err), -1) & CHECK_INT(err.number, EBUSY) &
           CHECK_TEXT(err.message, "install a filter with a listener: Device or resource busy");
}

CHECK_CASE(a_listener_of_an_outer_filter_is_the_reason)
{
    int status = -1;
    pid_t pid = fork();
    if (pid == 0)
        _exit(prove_below_another() ? 0 : 1);
    CHECK_INT(waitpid(pid, &status, 0), pid);
    CHECK_INT(status, 0);
}

CHECK_MAIN
