/* The one event loop: bwrap's end, signals, the deadline, bwrap's report, the output. */
#include "launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fds.h"
#include "launch/bwrap_status.h"
#include "launch/feed.h"
#include "launch/keyboard.h"
#include "launch/outcome.h"
#include "launch/relay.h"
#include "launch/signals.h"
#include "launch/spawn.h"
#include "launch/terminals.h"

/* How often a signal is offered again to a sandbox that is still being built: seconds. */
#define RETRY 0.002

/* How long a reader may let us wait once a signal has ended the command: seconds. */
#define UNTAKEN 0.2

/* A run that takes longer than this is worth tidying up for: seconds. */
#define SETTLED 0.05

struct loop {
    const struct cf_launch *launch;
    struct cf_spawned spawned;
    struct cf_signals signals;
    struct cf_target target;
    struct cf_bwrap_status told;
    struct cf_relay relays[2];
    struct cf_keyboard keyboard;
    struct cf_feed feed;
    struct cf_terminals terminals;
    struct cf_budget budget;
    struct cf_ending ending;
    size_t failure_len;  /* bytes of ending.failure that came in */
    uint64_t waiting[2]; /* by reach: signals nobody could take yet, bit N for signal N */
    double deadline;     /* when SIGTERM goes out; INFINITY for never */
    double end_at;       /* when everything is ended; INFINITY for not yet */
    double drop_at;      /* when output that nobody takes is dropped; INFINITY for not yet */
    double settled_at;   /* when hooks.settled is called; INFINITY for never */
    int watched;         /* what hooks.watch named, or -1 */
    int told_to_end;     /* the last signal that asked for it, 0 for none */
    bool ended;          /* the warden was reaped */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void send(struct loop *loop, enum cf_reach reach, int number)
{
    if (cf_target_signal(&loop->target, reach, number))
        loop->waiting[reach] &= ~((uint64_t)1 << number);
    else
        loop->waiting[reach] |= (uint64_t)1 << number;
}

static bool is_one_waiting(const struct loop *loop)
{
    return (loop->waiting[CF_TO_COMMAND] | loop->waiting[CF_TO_GROUP]) != 0;
}

static void send_waiting(struct loop *loop)
{
    for (int number = 1; number < 64; number++)
        for (int reach = CF_TO_COMMAND; reach <= CF_TO_GROUP; reach++)
            if ((loop->waiting[reach] >> number & 1) != 0)
                send(loop, (enum cf_reach)reach, number);
}

/* With a shared terminal the kernel already stopped the command, and the shell continues it. */
static void stop_together(struct loop *loop, bool by_terminal)
{
    bool alone = loop->launch->inherit_tty && by_terminal;
    enum cf_reach reach = by_terminal ? CF_TO_GROUP : CF_TO_COMMAND;
    if (!alone)
        cf_target_signal(&loop->target, reach, SIGSTOP);
    raise(SIGSTOP);
    if (!alone)
        cf_target_signal(&loop->target, reach, SIGCONT);
}

static void drop_output(struct loop *loop)
{
    for (int at = 0; at < 2; at++)
        cf_relay_drop(&loop->relays[at]);
}

static bool is_to_end(int number)
{
    return number == SIGINT || number == SIGQUIT || number == SIGHUP || number == SIGTERM;
}

static void take_signals(struct loop *loop)
{
    struct signalfd_siginfo info;
    while (read(loop->signals.fd, &info, sizeof info) == (ssize_t)sizeof info) {
        bool by_terminal = info.ssi_code == SI_KERNEL;
        if (info.ssi_signo == SIGTSTP)
            stop_together(loop, by_terminal);
        else if (loop->ended && is_to_end((int)info.ssi_signo))
            drop_output(loop);
        else if (!loop->launch->inherit_tty || !by_terminal)
            send(loop, by_terminal ? CF_TO_GROUP : CF_TO_COMMAND, (int)info.ssi_signo);
        if (is_to_end((int)info.ssi_signo))
            loop->told_to_end = (int)info.ssi_signo;
    }
}

/* Of its input the command takes no more. */
static void end_input(struct loop *loop)
{
    cf_keyboard_end(&loop->keyboard);
    cf_feed_end(&loop->feed);
}

static void take_report(struct loop *loop)
{
    char data[1024];
    ssize_t got = read(loop->spawned.status, data, sizeof data);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        cf_close_fd(&loop->spawned.status);
        return;
    }
    cf_bwrap_status_feed(&loop->told, data, (size_t)got);
    if (loop->told.exit_code >= 0)
        end_input(loop);
    if (loop->told.child_pid != 0 && loop->target.child == 0) {
        loop->target.child = loop->told.child_pid;
        loop->target.child_fd = (int)syscall(SYS_pidfd_open, loop->target.child, 0);
    }
}

static void take_failure(struct loop *loop)
{
    char *to = (char *)&loop->ending.failure + loop->failure_len;
    ssize_t got =
        read(loop->spawned.failure, to, sizeof loop->ending.failure - loop->failure_len);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got > 0)
        loop->failure_len += (size_t)got;
    loop->ending.failed = loop->failure_len == sizeof loop->ending.failure;
    if (got > 0 && !loop->ending.failed)
        return;
    cf_close_fd(&loop->spawned.failure);
    const struct cf_launch_hooks *hooks = &loop->launch->hooks;
    if (!loop->ending.failed && !loop->ended && hooks->watch != NULL)
        loop->watched = hooks->watch(hooks->context);
}

/* Nothing is said of a run whose guard is gone, but that it was ended. */
static void take_watched(struct loop *loop)
{
    const struct cf_launch_hooks *hooks = &loop->launch->hooks;
    loop->watched = -1;
    if (!loop->ended && loop->told.exit_code < 0 && hooks->lost != NULL)
        loop->ending.limit = hooks->lost(hooks->context);
    if (loop->ending.limit != NULL)
        cf_close_fd(&loop->spawned.lifeline);
}

/* Everything that could still write to our pipes is gone, so what they hold is all there is. */
static void take_end(struct loop *loop)
{
    waitpid(loop->spawned.warden, &loop->ending.status, 0);
    cf_close_fd(&loop->spawned.warden_fd);
    loop->ended = true;
    end_input(loop);
    cf_terminals_start(loop->launch->fds);
    for (int last = 0; last < 64 && loop->spawned.status >= 0; last++)
        take_report(loop);
    for (int last = 0; last < 64 && loop->spawned.failure >= 0; last++)
        take_failure(loop);
    /* A reader that takes nothing more must not turn a deadline into a wait without end. */
    if (loop->launch->timeout > 0 && isinf(loop->deadline))
        loop->end_at = now() + loop->launch->grace;
    /* Nor must it keep who asked us to end. */
    if (loop->told_to_end != 0 && loop->told.exit_code == 128 + loop->told_to_end)
        loop->drop_at = now() + UNTAKEN;
}

static void keep_time(struct loop *loop)
{
    double time = now();
    if (time >= loop->settled_at) {
        loop->settled_at = INFINITY;
        loop->launch->hooks.settled(loop->launch->hooks.context);
    }
    if (is_one_waiting(loop) && !loop->ended)
        send_waiting(loop);
    if (time >= loop->deadline && loop->ended) {
        loop->deadline = INFINITY;
        loop->end_at = time;
    } else if (time >= loop->deadline) {
        loop->deadline = INFINITY;
        loop->ending.timed_out = loop->told.exit_code < 0;
        /* All of it is to end, so all of it is told, as timeout(1) does. */
        bool told = cf_target_signal(&loop->target, CF_TO_GROUP, SIGTERM);
        loop->end_at = told ? time + loop->launch->grace : time;
    }
    if (time >= loop->drop_at) {
        loop->drop_at = INFINITY;
        drop_output(loop);
    }
    if (time < loop->end_at)
        return;
    loop->end_at = INFINITY;
    cf_close_fd(&loop->spawned.lifeline);
    if (loop->ended) {
        loop->ending.timed_out = true;
        drop_output(loop);
    }
}

static int milliseconds_to_wait(const struct loop *loop)
{
    double until = fmin(fmin(loop->deadline, loop->end_at), loop->drop_at);
    double wait = fmin(until, loop->settled_at) - now();
    if (is_one_waiting(loop) && !loop->ended)
        wait = fmin(wait, RETRY);
    if (loop->keyboard.again_at > now() && loop->keyboard.to >= 0)
        wait = fmin(wait, loop->keyboard.again_at - now());
    if (loop->feed.again_at > now() && loop->feed.to >= 0)
        wait = fmin(wait, loop->feed.again_at - now());
    if (wait > 3600 * 24)
        return -1;
    return wait > 0 ? (int)ceil(wait * 1000) : 0;
}

static bool is_going_on(const struct loop *loop)
{
    return !loop->ended || !cf_relay_is_done(&loop->relays[0]) ||
           !cf_relay_is_done(&loop->relays[1]);
}

static void turn(struct loop *loop)
{
    struct pollfd polled[] = {
        { .fd = loop->spawned.warden_fd, .events = POLLIN },
        { .fd = loop->signals.fd, .events = POLLIN },
        { .fd = loop->spawned.status, .events = POLLIN },
        { .fd = loop->spawned.failure, .events = POLLIN },
        { .fd = loop->watched, .events = POLLIN },
        cf_relay_wants(&loop->relays[0]),
        cf_relay_wants(&loop->relays[1]),
        cf_keyboard_wants(&loop->keyboard, now()),
        cf_feed_wants(&loop->feed, now()),
        cf_relay_watches(&loop->relays[0]),
        cf_relay_watches(&loop->relays[1]),
    };
    if (poll(polled, sizeof polled / sizeof *polled, milliseconds_to_wait(loop)) < 0)
        memset(polled, 0, sizeof polled);
    if (polled[2].revents != 0)
        take_report(loop);
    if (polled[3].revents != 0)
        take_failure(loop);
    if (polled[1].revents != 0)
        take_signals(loop);
    cf_keyboard_step(&loop->keyboard, polled[7].revents, now());
    cf_feed_step(&loop->feed, polled[8].revents, now());
    for (int at = 0; at < 2; at++) {
        cf_relay_forsake(&loop->relays[at], polled[9 + at].revents);
        cf_relay_step(&loop->relays[at], polled[5 + at].revents, loop->ended, &loop->budget);
    }
    if (polled[0].revents != 0)
        take_end(loop);
    if (polled[4].revents != 0)
        take_watched(loop);
    keep_time(loop);
}

static void prepare_loop(struct loop *loop, struct cf_outcome *outcome)
{
    const struct cf_launch *launch = loop->launch;
    struct cf_spawned *spawned = &loop->spawned;
    fcntl(spawned->status, F_SETFL, O_NONBLOCK);
    fcntl(spawned->failure, F_SETFL, O_NONBLOCK);
    loop->budget.left = launch->output;
    if (launch->capture && launch->output < 0)
        loop->budget.left = CF_CAPTURE_MAX;
    bool is_pipe = cf_feed_is_wanted(launch->fds[0]);
    int input = cf_take_fd(&spawned->input);
    cf_keyboard_start(&loop->keyboard, launch->fds[0], is_pipe ? -1 : input);
    cf_feed_start(&loop->feed, launch->fds[0], is_pipe ? input : -1);
    cf_relay_start(&loop->relays[0], cf_take_fd(&spawned->out), launch->fds[1],
                   launch->capture ? &outcome->out : NULL);
    cf_relay_start(&loop->relays[1], cf_take_fd(&spawned->err), launch->fds[2],
                   launch->capture ? &outcome->err : NULL);
}

void cf_launch_run(const struct cf_launch *launch, struct cf_outcome *outcome)
{
    struct loop loop = {
        .launch = launch,
        .spawned = CF_SPAWNED_NONE,
        .target = { .child_fd = -1 },
        .told = CF_BWRAP_STATUS_EMPTY,
        .end_at = INFINITY,
        .drop_at = INFINITY,
        .settled_at = INFINITY,
        .watched = -1,
        .keyboard = CF_KEYBOARD_NONE,
        .feed = CF_FEED_NONE,
        .relays = { { .from = -1, .own = -1 }, { .from = -1, .own = -1 } },
    };
    double start = now();
    if (launch->hooks.settled != NULL)
        loop.settled_at = start + SETTLED;
    loop.deadline = launch->timeout > 0 ? start + launch->timeout : INFINITY;
    memset(outcome, 0, sizeof *outcome);
    outcome->kind = CF_NOT_STARTED;
    if (cf_signals_take(&loop.signals, &outcome->why) < 0)
        return;
    const int none[] = { -1, -1, -1 };
    cf_terminals_note(&loop.terminals, launch->inherit_tty ? none : launch->fds);
    if (cf_spawn(launch, &loop.spawned, &outcome->why) == 0) {
        prepare_loop(&loop, outcome);
        while (is_going_on(&loop))
            turn(&loop);
        cf_terminals_put_back(&loop.terminals);
        cf_outcome_judge(outcome, &loop.ending, &loop.told);
    }
    end_input(&loop);
    cf_relay_end(&loop.relays[0]);
    cf_relay_end(&loop.relays[1]);
    cf_signals_give_back(&loop.signals);
    cf_close_fd(&loop.target.child_fd);
    cf_spawned_close(&loop.spawned);
    outcome->truncated = loop.budget.truncated;
    outcome->lost = loop.budget.lost;
    outcome->seconds = now() - start;
}
