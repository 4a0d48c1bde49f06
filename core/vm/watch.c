/* A thread's processor clock, a signal to that thread, and a way out by siglongjmp. */
#include "vm/watch.h"

#include <errno.h>
#include <locale.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define ALARM SIGVTALRM

static sigjmp_buf way_out;
static volatile sig_atomic_t armed;

static void on_alarm(int signal, siginfo_t *info, void *machine)
{
    (void)signal;
    (void)machine;
    /* A signal of the same number that somebody else sent is not ours to act on. */
    if (!armed || info->si_code != SI_TIMER || info->si_value.sival_ptr != &way_out)
        return;
    armed = 0;
    siglongjmp(way_out, 1);
}

/* What is in force before and must be again afterwards. */
struct surroundings {
    struct sigaction action;
    sigset_t mask;
    locale_t locale;
    timer_t timer;
};

static void leave(struct surroundings *before)
{
    /* A signal sent until now arrives before this system call is back, and finds us unarmed. */
    timer_delete(before->timer);
    if (before->locale != (locale_t)0)
        uselocale(before->locale);
    sigaction(ALARM, &before->action, NULL);
    pthread_sigmask(SIG_SETMASK, &before->mask, NULL);
}

static int enter(struct surroundings *before, double seconds, struct cf_error *err)
{
    struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = ALARM };
    event.sigev_value.sival_ptr = &way_out;
    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &before->timer) < 0)
        return cf_fail(err, errno, "timer_create");

    struct sigaction action = { .sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO };
    sigemptyset(&action.sa_mask);
    sigaction(ALARM, &action, &before->action);
    sigset_t open;
    sigemptyset(&open);
    sigaddset(&open, ALARM);
    pthread_sigmask(SIG_UNBLOCK, &open, &before->mask);
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    before->locale = plain != (locale_t)0 ? uselocale(plain) : (locale_t)0;

    struct itimerspec when = { .it_value = { .tv_sec = (time_t)seconds } };
    when.it_value.tv_nsec = (long)((seconds - (double)when.it_value.tv_sec) * 1e9);
    if (when.it_value.tv_sec == 0 && when.it_value.tv_nsec == 0)
        when.it_value.tv_nsec = 1;
    if (timer_settime(before->timer, 0, &when, NULL) == 0)
        return 0;
    cf_fail(err, errno, "timer_settime");
    leave(before);
    return -1;
}

int cf_watch_call(void (*call)(void *context), void *context, double seconds,
                  struct cf_error *err)
{
    /* Static, because locals changed after sigsetjmp are undefined once it came back twice. */
    static struct surroundings before;
    if (armed)
        return cf_fail(err, EBUSY, "watch a second policy");
    if (sigsetjmp(way_out, 0) != 0) {
        leave(&before);
        return 1;
    }
    armed = 1;
    if (enter(&before, seconds, err) < 0) {
        armed = 0;
        return -1;
    }
    call(context);
    armed = 0;
    leave(&before);
    return 0;
}
