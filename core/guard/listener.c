/* One call of one process is asked about, answered, and the answer looked at. */
#include "guard/listener.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fds.h"
#include "guard/trial.h"

/* Nobody makes this call by itself, and no kernel gives this answer to it. */
#define ASKED SYS_getsid
#define ANSWER 4321

#define PATIENCE_MS 5000

static int install(struct cf_error *err)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ASKED, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { .len = sizeof code / sizeof *code, .filter = code };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return cf_fail(err, errno, "prctl PR_SET_NO_NEW_PRIVS");
    long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                      &program);
    if (fd < 0)
        return cf_fail(err, errno, "install a filter with a listener");
    return (int)fd;
}

static int answer_once(int listener, struct cf_error *err)
{
    struct pollfd readable = { .fd = listener, .events = POLLIN };
    struct seccomp_notif asked;
    memset(&asked, 0, sizeof asked); /* the kernel refuses one that holds anything */
    if (poll(&readable, 1, PATIENCE_MS) <= 0)
        return cf_fail(err, ETIMEDOUT, "wait for the question of a filter");
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) < 0)
        return cf_fail(err, errno, "receive the question of a filter");
    struct seccomp_notif_resp answer = { .id = asked.id, .val = ANSWER };
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer) < 0)
        return cf_fail(err, errno, "answer the question of a filter");
    return 0;
}

static int prove(void *arg, struct cf_error *err)
{
    (void)arg;
    int status = -1;
    cf_autoclose int listener = install(err);
    if (listener < 0)
        return -1;
    pid_t child = fork();
    if (child < 0)
        return cf_fail(err, errno, "fork");
    if (child == 0)
        _exit(syscall(ASKED, 0) == ANSWER ? 0 : 1);
    int answered = answer_once(listener, err);
    if (answered < 0)
        kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (answered == 0 && status != 0)
        return cf_fail(err, 0, "the answer to a filter's question did not arrive");
    return answered;
}

int cf_listener_available(struct cf_error *err)
{
    return cf_trial_run("a seccomp listener", prove, NULL, err);
}
