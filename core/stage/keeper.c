/*
 * One poll loop. It has no policy: what to keep and what to refuse stands in the operations,
 * and every event only asks whether the operation it belongs to is still in force.
 */
#include "stage/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/fds.h"
#include "base/heap.h"
#include "stage/ending.h"
#include "stage/held.h"
#include "stage/lost.h"
#include "stage/names.h"
#include "stage/protect.h"
#include "stage/shadow.h"
#include "stage/view.h"
#include "stage/watch.h"

#define POLLING_MS 250
/* For a bwrap that was not given the descriptor that tells. */
#define SETUP_MS 500

int64_t cf_stage_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Of a terminal's signals, of the launcher's handlers and of its process group it has none. */
static void stand_apart(void)
{
    struct sigaction ignore = { .sa_handler = SIG_IGN }, fall = { .sa_handler = SIG_DFL };
    for (int number = 1; number < NSIG; number++)
        sigaction(number,
                  number == SIGSEGV || number == SIGBUS || number == SIGCHLD ? &fall : &ignore,
                  NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    umask(0);
    prctl(PR_SET_NAME, "confine-keeper");
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

/*
 * Leaves open only `wanted`, renumbered from 3. A reader of the command's output must see its
 * end when the command ends, so the standard descriptors go too.
 */
static int keep_only(int *const *wanted, int count)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0)
        return -1;
    for (int k = 0; k < count; k++)
        if (*wanted[k] >= 0) {
            *wanted[k] = fcntl(*wanted[k], F_DUPFD_CLOEXEC, 3 + count);
            if (*wanted[k] < 0)
                return -1;
        }
    for (int fd = 0; fd < 3; fd++)
        if (dup2(null, fd) < 0)
            return -1;
    for (int k = 0; k < count; k++) {
        if (*wanted[k] < 0)
            close(3 + k);
        else if (dup3(*wanted[k], 3 + k, O_CLOEXEC) < 0)
            return -1;
        else
            *wanted[k] = 3 + k;
    }
    return (int)syscall(SYS_close_range, 3 + count, ~0U, 0);
}

/* An operation and the watches on its way; again when a watch is new, as it missed what was. */
static void look_at(struct cf_stage *stage, size_t i)
{
    struct cf_node *node = &stage->nodes[i];
    for (int round = 0; round < 3; round++) {
        struct cf_error err = { 0 };
        if (cf_view_apply(stage, i, &err) < 0)
            cf_lost_note(stage, &err);
        if (!cf_watch_arm(stage, i))
            break;
        if (node->op->kind == CF_STAGE_SHADOW && node->stands)
            cf_names_sync_all(stage, i);
    }
    node->dirty = false;
}

static void look_at_marked(struct cf_stage *stage)
{
    int64_t now = cf_stage_now();
    for (size_t i = 0; i < stage->count; i++) {
        struct cf_node *node = &stage->nodes[i];
        if (node->due != 0 && node->due <= now) {
            node->due = 0;
            cf_names_sync_all(stage, i);
        }
        if (node->dirty)
            look_at(stage, i);
    }
}

static void look_closely_at(struct cf_stage *stage, size_t i)
{
    look_at(stage, i);
    if (stage->nodes[i].op->kind == CF_STAGE_SHADOW && stage->nodes[i].stands)
        cf_names_sync_all(stage, i);
}

static void look_at_all(struct cf_stage *stage)
{
    for (size_t i = 0; i < stage->count; i++)
        look_closely_at(stage, i);
}

/* After so many events the files that are held come first again. */
#define EVENTS_AT_ONCE 16

static void take_events(struct cf_stage *stage)
{
    unsigned taken = 0;
    char buffer[65536] __attribute__((aligned(8)));
    ssize_t got = read(stage->inotify, buffer, sizeof buffer);
    bool lost = false;
    for (ssize_t at = 0; at < got;) {
        const struct inotify_event *event = (const struct inotify_event *)(buffer + at);
        at += (ssize_t)(sizeof *event + event->len);
        lost |= (event->mask & IN_Q_OVERFLOW) != 0;
        if (taken++ % EVENTS_AT_ONCE == 0)
            cf_held_take(stage);
        if (event->len > 0)
            cf_watch_tell(stage, event);
    }
    if (lost)
        look_at_all(stage);
}

static int wait_ms(const struct cf_stage *stage)
{
    int64_t first = 0;
    for (size_t i = 0; i < stage->count; i++) {
        int64_t due = stage->nodes[i].due;
        if (due != 0 && (first == 0 || due < first))
            first = due;
    }
    int longest = stage->polling ? POLLING_MS : -1;
    if (first == 0)
        return longest;
    int64_t left = (first - cf_stage_now()) / 1000000 + 1;
    if (left < 0)
        left = 0;
    return longest >= 0 && left > longest ? longest : (int)left;
}

/*
 * While bwrap sets up, it remounts every mount that it has read from a list before, and fails
 * when one has gone: nothing is changed until it is through. True when the run is over already.
 */
static bool wait_for_setup(struct cf_ending *ending, int block)
{
    struct pollfd fds[CF_ENDING_PLACES + 1];
    int64_t until = cf_stage_now() + SETUP_MS * 1000000LL;
    for (;;) {
        int left = (int)((until - cf_stage_now()) / 1000000);
        cf_ending_poll(ending, fds);
        fds[CF_ENDING_PLACES] = (struct pollfd){ .fd = block, .events = POLLOUT };
        int found = poll(fds, CF_ENDING_PLACES + 1, left > 0 ? left : 0);
        if (found > 0 && cf_ending_take(ending, fds))
            return true;
        if (found == 0 || (found > 0 && fds[CF_ENDING_PLACES].revents != 0))
            return false;
    }
}

/*
 * What changed after the view was built and before its watches were armed. A short run may be over
 * before all is looked at, and waits for its keeper then: true when it is.
 */
static bool catch_up(struct cf_stage *stage, struct cf_ending *ending)
{
    struct pollfd fds[CF_ENDING_PLACES];
    for (size_t i = 0; i < stage->count; i++) {
        look_closely_at(stage, i);
        cf_ending_poll(ending, fds);
        if (poll(fds, CF_ENDING_PLACES, 0) > 0 && cf_ending_take(ending, fds))
            return true;
    }
    return false;
}

static void keep(struct cf_stage *stage, struct cf_ending *ending)
{
    struct pollfd fds[CF_ENDING_PLACES + 2];
    for (size_t i = 0; i < stage->count; i++)
        cf_watch_arm(stage, i);
    if (wait_for_setup(ending, stage->block[1]))
        return;
    stage->keeping = true;
    stage->ending = ending;
    if (catch_up(stage, ending))
        return;
    for (;;) {
        cf_placeholders_settle(&stage->placeholders);
        cf_ending_poll(ending, fds);
        fds[CF_ENDING_PLACES] = (struct pollfd){ .fd = stage->inotify, .events = POLLIN };
        fds[CF_ENDING_PLACES + 1] = (struct pollfd){ .fd = stage->held, .events = POLLIN };
        int found = poll(fds, CF_ENDING_PLACES + 2, wait_ms(stage));
        if (found < 0)
            continue;
        if (cf_ending_take(ending, fds))
            return;
        cf_held_take(stage);
        if (found == 0 && stage->polling)
            look_at_all(stage);
        if (fds[CF_ENDING_PLACES].revents != 0)
            take_events(stage);
        look_at_marked(stage);
        cf_lost_look(stage);
    }
}

/*
 * The kernel takes an inotify instance down only after a grace period of 8 to 16 ms, for which
 * the process that closes it last must wait, and so must whoever waits for the keeper. Held by
 * nothing but a message that a socket has sent to itself, it is collected, and closed, by a
 * worker of the kernel (since Linux 6.8; before, the close is waited for here).
 */
static void let_go(int first, int second)
{
    int pair[2], handed[3], count = 0;
    char byte = 'k';
    struct iovec text = { &byte, 1 };
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof handed)];
    } rights = {
        .header = { .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(0) }
    };
    struct msghdr message = { .msg_iov = &text, .msg_iovlen = 1, .msg_control = &rights };
    if (first >= 0)
        handed[count++] = first;
    if (second >= 0)
        handed[count++] = second;
    if (count == 0 || socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) < 0)
        return;
    handed[count++] = pair[1];
    rights.header.cmsg_len = CMSG_LEN((size_t)count * sizeof *handed);
    message.msg_controllen = CMSG_SPACE((size_t)count * sizeof *handed);
    memcpy(CMSG_DATA(&rights.header), handed, (size_t)count * sizeof *handed);
    sendmsg(pair[0], &message, 0);
    while (count > 0)
        close(handed[--count]);
    close(pair[0]);
}

void cf_keeper_main(struct cf_stage *stage, struct cf_keeper_fds given)
{
    struct cf_shared *shared = stage->shared;
    struct cf_ending ending = { given.launcher, given.runner, stage->info[0], -1, false };
    int ready = given.ready;
    int *const wanted[] = {
        &ending.launcher, &ending.runner,          &ending.info, &ready, &stage->alive[1],
        &stage->block[1], &stage->placeholders.dir
    };
    stand_apart();
    if (keep_only(wanted, 7) < 0) {
        cf_fail(&shared->error, errno, "set the keeper's descriptors apart");
        shared->report.finished = 1;
        _exit(1);
    }
    /* Before the masks are laid: what lies below one cannot be watched. */
    cf_held_open(stage);
    bool stands = cf_view_build(stage, &shared->error) == 0 && !stage->lost;
    cf_placeholders_settle(&stage->placeholders);
    if (stands) {
        stage->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
        stage->polling = stage->inotify < 0;
        shared->report.unwatched += stage->polling;
        if (write(ready, "k", 1) < 0)
            stands = false;
    }
    cf_close_fd(&ready);
    cf_heap_drop();
    if (stands) {
        keep(stage, &ending);
        if (!ending.known || ending.launcher < 0)
            cf_ending_sweep(stage->listing, CF_LISTING_SIZE);
    }
    cf_protect_end(stage);
    let_go(stage->inotify, stage->held);
    shared->report.finished = 1;
    close(stage->alive[1]);
    _exit(0);
}
