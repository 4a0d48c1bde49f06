/* The host side and the agent's side of the stage tests; the agent is a copy of the program. */
#include "stage_rig.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define USER 65532
#define SCENARIOS_MAX 128

static struct {
    const char *name;
    void (*run)(struct rig *);
} scenarios[SCENARIOS_MAX];
static int scenario_count;

void rig_register(const char *name, void (*scenario)(struct rig *))
{
    scenarios[scenario_count].name = name;
    scenarios[scenario_count++].run = scenario;
}

__attribute__((noreturn, format(printf, 1, 2))) static void give_up(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("    the rig: ");
    vprintf(format, args);
    printf(": %s\n", strerror(errno));
    va_end(args);
    fflush(stdout);
    _exit(2);
}

const char *rig_list(const struct rig *rig, const char *name)
{
    static char text[400];
    char line[400];
    snprintf(line, sizeof line, "cd %s/%s && ls -A | tr '\\n' ' '", rig->base, name);
    FILE *file = popen(line, "r");
    size_t got = file == NULL ? 0 : fread(text, 1, sizeof text - 1, file);
    text[got > 0 && text[got - 1] == ' ' ? got - 1 : got] = '\0';
    if (file != NULL)
        pclose(file);
    return text;
}

void rig_sleep(int ms)
{
    nanosleep(&(struct timespec){ ms / 1000, (ms % 1000) * 1000000L }, NULL);
}

const char *rig_path(const struct rig *rig, const char *format, ...)
{
    char name[192];
    /* Not freed: a scenario is a process of its own, and short. */
    char *path = malloc(256);
    if (path == NULL)
        give_up("malloc");
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    snprintf(path, 256, "%s/%s", rig->base, name);
    return path;
}

struct cf_stage_op rig_root(void)
{
    return (struct cf_stage_op){ .kind = CF_STAGE_ROOT, .path = "/" };
}

struct cf_stage_op rig_shadow(const char *path)
{
    static const struct cf_stage_entry refused[] = { { .name = "agent.sock",
                                                       .as = CF_AS_INERT },
                                                     { .name = "late.sock", .as = CF_AS_INERT },
                                                     { .name = "secret", .as = CF_AS_ABSENT } };
    return (struct cf_stage_op){ .kind = CF_STAGE_SHADOW,
                                 .path = path,
                                 .mode = CF_STAGE_MODE_OF_HOST,
                                 RIG_ENTRIES(refused) };
}

void rig_mkdir(const char *path)
{
    if (mkdir(path, 0755) < 0)
        give_up("mkdir %s", path);
}

void rig_write(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
        give_up("write %s", path);
    close(fd);
}

void rig_rename(const char *from, const char *to)
{
    if (rename(from, to) < 0)
        give_up("rename %s", from);
}

void rig_replace(const char *path, const char *text)
{
    char other[300];
    snprintf(other, sizeof other, "%s.new", path);
    rig_write(other, text);
    rig_rename(other, path);
}

int rig_listen(const char *path, bool over)
{
    char other[300];
    snprintf(other, sizeof other, over ? "%s.new" : "%s", path);
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    strncpy(address.sun_path, other, sizeof address.sun_path - 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    unlink(other);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        listen(fd, 64) < 0)
        give_up("listen %s", other);
    if (over)
        rig_rename(other, path);
    return fd;
}

void rig_refuse(unsigned call, unsigned number)
{
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | number),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog prog = { 4, program };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) < 0)
        _exit(9);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    remove(path);
    return 0;
}

void rig_remove_tree(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

bool rig_is_alone(int ms)
{
    for (int waited = 0;; waited += 5) {
        int status;
        pid_t pid;
        while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
            ;
        if (pid < 0)
            return true;
        if (waited >= ms)
            return false;
        rig_sleep(5);
    }
}

static void listen_to_agent(struct rig_run *run)
{
    size_t used = 0;
    while (used < sizeof run->answer - 1) {
        ssize_t got = read(run->from, run->answer + used, 1);
        if (got <= 0)
            give_up("the agent has gone");
        if (run->answer[used] == '\n')
            break;
        used++;
    }
    run->answer[used] = '\0';
}

void rig_start(struct rig *rig, struct rig_run *run, const struct cf_stage_op *ops,
               size_t count)
{
    struct cf_error err = { 0 };
    int in[2], out[2];
    /* Each run has a /dev of its own, after what the scenario says if not by it. */
    struct cf_stage_op all[count + 1];
    memcpy(all, ops, count * sizeof *ops);
    all[count] = (struct cf_stage_op){ .kind = CF_STAGE_DEV, .path = "/dev" };
    bool has_dev = false;
    for (size_t k = 0; k < count; k++)
        has_dev |= ops[k].kind == CF_STAGE_DEV;
    run->stage = cf_stage_new(all, count + !has_dev, rig_path(rig, "records"), &err);
    if (run->stage == NULL || pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
        give_up("%s", err.message);
    char info[16], block[16];
    snprintf(info, sizeof info, "%d", cf_stage_info_fd(run->stage));
    snprintf(block, sizeof block, "%d", cf_stage_block_fd(run->stage));
    char agent[80];
    snprintf(agent, sizeof agent, "%s/agent", rig->base);
    pid_t parent = getpid();
    fflush(stdout);
    run->child = fork();
    if (run->child == 0) {
        if (!rig->careless)
            prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(125);
        if (cf_stage_prepare(run->stage, &err) < 0) {
            printf("    the rig: prepare: %s\n", err.message);
            fflush(stdout);
            _exit(125);
        }
        dup2(in[0], 0);
        dup2(out[1], 1);
        const char *proc = rig->no_proc ? "--bind" : "--proc";
        const char *alone = rig->careless ? "--new-session" : "--die-with-parent";
        const char *const argv[] = { "bwrap",
                                     "--unshare-user",
                                     "--unshare-pid",
                                     "--unshare-ipc",
                                     "--dev-bind",
                                     "/",
                                     "/",
                                     "--new-session",
                                     alone,
                                     "--cap-drop",
                                     "ALL",
                                     "--info-fd",
                                     info,
                                     "--block-fd",
                                     block,
                                     proc,
                                     "/proc",
                                     rig->no_proc ? "/proc" : "--",
                                     rig->no_proc ? "--" : agent,
                                     rig->no_proc ? agent : "stage-agent",
                                     rig->no_proc ? "stage-agent" : NULL,
                                     NULL };
        execvp("bwrap", (char *const *)argv);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    run->to = in[1];
    run->from = out[0];
    cf_stage_watch(run->stage);
    listen_to_agent(run);
}

static const char *ask(struct rig_run *run, const char *format, va_list args)
{
    char order[600];
    int length = vsnprintf(order, sizeof order - 1, format, args);
    order[length] = '\n';
    if (write(run->to, order, (size_t)length + 1) < 0)
        give_up("tell the agent");
    listen_to_agent(run);
    return run->answer;
}

const char *rig_ask(struct rig_run *run, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *answer = ask(run, format, args);
    va_end(args);
    return answer;
}

const char *rig_until(struct rig_run *run, const char *wanted, const char *format, ...)
{
    for (int waited = 0; waited < 2000; waited += 2) {
        va_list args;
        va_start(args, format);
        bool found = strcmp(ask(run, format, args), wanted) == 0;
        va_end(args);
        if (found)
            break;
        rig_sleep(2);
    }
    return run->answer;
}

void rig_stop(struct rig *rig, struct rig_run *run)
{
    struct cf_error err = { 0 };
    int status = 0;
    close(run->to);
    waitpid(run->child, &status, 0);
    close(run->from);
    SEE_INT(rig, status, 0);
    SEE_INT(rig, cf_stage_finish(run->stage, 5000, &err), 0);
    SEE_TEXT(rig, err.message, "");
}

void rig_free(struct rig_run *run)
{
    cf_stage_free(run->stage);
}

static void copy_program(const char *to)
{
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int copy = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
    struct stat st;
    if (from < 0 || copy < 0 || fstat(from, &st) < 0)
        give_up("copy %s", to);
    for (off_t left = st.st_size; left > 0;) {
        ssize_t sent = sendfile(copy, from, NULL, (size_t)left);
        if (sent <= 0)
            give_up("copy %s", to);
        left -= sent;
    }
    close(from);
    close(copy);
}

static _Noreturn void play(const char *name, const char *base, bool as_root, bool no_proc)
{
    struct rig rig = { .as_root = as_root, .no_proc = no_proc };
    snprintf(rig.base, sizeof rig.base, "%s", base);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (int k = 0; k < scenario_count; k++)
        if (strcmp(scenarios[k].name, name) == 0)
            scenarios[k].run(&rig);
    SEE(&rig, rig_is_alone(2000));
    fflush(stdout);
    _exit(rig.failed ? 1 : 0);
}

static void map_root(unsigned uid, unsigned gid)
{
    char text[32];
    snprintf(text, sizeof text, "0 %u 1", uid);
    rig_write("/proc/self/setgroups", "deny");
    rig_write("/proc/self/uid_map", text);
    snprintf(text, sizeof text, "0 %u 1", gid);
    rig_write("/proc/self/gid_map", text);
}

/* What the scenario mounts goes away with it, also when it is killed. */
static void enter(enum rig_place place, const char *base)
{
    if (geteuid() != 0)
        return;
    if (unshare(CLONE_NEWNS) < 0)
        give_up("unshare");
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        give_up("mount --make-private /");
    if (place == RIG_OWN_TMP && mount("rig", base, "tmpfs", 0, "mode=0777") < 0)
        give_up("mount %s", base);
    if (place != RIG_PRIVATE_ROOT && mount(NULL, "/", NULL, MS_REC | MS_SHARED, NULL) < 0)
        give_up("mount --make-shared /");
}

static void become(uid_t uid)
{
    if (geteuid() != 0 || uid == 0)
        return;
    if (setgroups(0, NULL) < 0 || setgid(uid) < 0 || setuid(uid) < 0)
        give_up("become %d", (int)uid);
    /* A program started as this user can write its own id map; one that became it cannot. */
    prctl(PR_SET_DUMPABLE, 1);
}

static _Noreturn void play_somewhere(const char *name, const char *base, enum rig_place place,
                                     uid_t uid)
{
    char agent[80], records[80];
    enter(place, base);
    become(uid);
    snprintf(agent, sizeof agent, "%s/agent", base);
    snprintf(records, sizeof records, "%s/records", base);
    copy_program(agent);
    if (mkdir(records, 0700) < 0)
        give_up("mkdir %s", records);
    if (place == RIG_USERNS) {
        unsigned id = geteuid(), group = getegid();
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
            give_up("unshare");
        map_root(id, group);
    }
    if (place == RIG_OUTER_BWRAP) {
        execlp("bwrap", "bwrap", "--unshare-user", "--unshare-pid", "--bind", "/", "/", "--dev",
               "/dev", "--proc", "/proc", "--", agent, "stage-scenario", name, base, NULL);
        give_up("bwrap");
    }
    play(name, base, uid == 0 && place != RIG_USERNS, false);
}

static void run_as(const char *name, enum rig_place place, uid_t uid)
{
    char base[] = "/tmp/cf-stage-XXXXXX";
    int status = 0;
    if (mkdtemp(base) == NULL || chown(base, uid, uid) < 0 || chmod(base, 0755) < 0)
        give_up("mkdtemp");
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        play_somewhere(name, base, place, uid);
    waitpid(pid, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        printf("    that was as uid %d, place %d\n", (int)uid, (int)place);
    CHECK_INT(status, 0);
    rig_remove_tree(base);
}

void rig_run_case(const char *name, enum rig_place place)
{
    if (geteuid() != 0) {
        run_as(name, place, geteuid());
        return;
    }
    run_as(name, place, 0);
    run_as(name, place, USER);
}

__attribute__((constructor(60000))) static void take_part(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "stage-agent") == 0)
        rig_be_agent();
    if (argc == 4 && strcmp(argv[1], "stage-scenario") == 0)
        /* Root gets a /proc with parts covered from bwrap; no other can be mounted over it. */
        play(argv[2], argv[3], false, getuid() == 0);
}
