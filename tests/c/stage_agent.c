/* The agent of the stage tests: what runs inside, and does what the rig orders line by line. */
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

static const char *connect_to(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    int got = connect(fd, (struct sockaddr *)&address, sizeof address);
    int saved = errno;
    close(fd);
    errno = saved;
    return got < 0 ? NULL : "ok";
}

static const char *read_file(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return NULL;
    ssize_t got = read(fd, text, size - 1);
    close(fd);
    text[got < 0 ? 0 : got] = '\0';
    return got < 0 ? NULL : text;
}

static const char *write_text(const char *path, const char *text, int flags)
{
    int fd = open(path, O_WRONLY | flags, 0644);
    if (fd < 0)
        return NULL;
    ssize_t put = write(fd, text, strlen(text));
    close(fd);
    return put < 0 ? NULL : "ok";
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static const char *list(const char *path, char *text, size_t size)
{
    DIR *dir = opendir(path);
    if (dir == NULL)
        return NULL;
    char *names[128];
    size_t count = 0, used = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL && count < 128;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            names[count++] = strdup(entry->d_name);
    closedir(dir);
    qsort(names, count, sizeof *names, by_name);
    text[0] = '\0';
    for (size_t k = 0; k < count; k++) {
        if (used + strlen(names[k]) + 2 < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", k ? " " : "", names[k]);
        free(names[k]);
    }
    return used > 0 ? text : "(empty)";
}

static const char *type(const char *path)
{
    struct stat st;
    if (lstat(path, &st) < 0)
        return NULL;
    switch (st.st_mode & S_IFMT) {
    case S_IFREG:
        return "file";
    case S_IFDIR:
        return "dir";
    case S_IFSOCK:
        return "socket";
    case S_IFLNK:
        return "link";
    case S_IFCHR:
        return "char";
    default:
        return "other";
    }
}

static const char *count_mounts(char *text, size_t size)
{
    FILE *file = fopen("/proc/self/mountinfo", "r");
    int lines = 0;
    for (int c; file != NULL && (c = fgetc(file)) != EOF;)
        lines += c == '\n';
    if (file != NULL)
        fclose(file);
    snprintf(text, size, "%d", lines);
    return text;
}

/* `sh FOLDER COMMAND`: "0" or the exit status, and what it printed last. */
static const char *shell(const char *folder, const char *command, char *text, size_t size)
{
    char line[400] = "", last[400] = "";
    if (folder == NULL || chdir(folder) < 0)
        return NULL;
    char redirected[600];
    snprintf(redirected, sizeof redirected, "exec 2>&1; %s", command);
    FILE *file = popen(redirected, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        memcpy(last, line, sizeof last);
    }
    int status = file == NULL ? -1 : pclose(file);
    if (chdir("/") < 0)
        return NULL;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    snprintf(text, size, code == 0 ? "%d" : "%d %s", code, last);
    return text;
}

static const char *done(int result)
{
    return result < 0 ? NULL : "ok";
}

static const char *obey(char *order, char *text, size_t size)
{
    char *save = NULL;
    const char *verb = strtok_r(order, " \n", &save);
    const char *path = strtok_r(NULL, " \n", &save);
    const char *rest = strtok_r(NULL, "\n", &save);
    errno = EINVAL;
    if (strcmp(verb, "mounts") == 0)
        return count_mounts(text, size);
    if (strcmp(verb, "user") == 0) {
        snprintf(text, size, "%d", (int)getuid());
        return text;
    }
    if (strcmp(verb, "sh") == 0)
        return shell(path, rest, text, size);
    if (strcmp(verb, "connect") == 0)
        return connect_to(path);
    if (strcmp(verb, "read") == 0)
        return read_file(path, text, size);
    if (strcmp(verb, "write") == 0)
        return write_text(path, rest != NULL ? rest : "", 0);
    if (strcmp(verb, "make") == 0)
        return write_text(path, "", O_CREAT | O_EXCL);
    if (strcmp(verb, "list") == 0)
        return list(path, text, size);
    if (strcmp(verb, "type") == 0)
        return type(path);
    if (strcmp(verb, "mkdir") == 0)
        return done(mkdir(path, 0755));
    if (strcmp(verb, "unlink") == 0)
        return done(unlink(path));
    if (strcmp(verb, "rmdir") == 0)
        return done(rmdir(path));
    if (strcmp(verb, "rename") == 0)
        return done(rename(path, rest));
    if (strcmp(verb, "link") == 0)
        return done(link(path, rest));
    return NULL;
}

_Noreturn void rig_be_agent(void)
{
    char order[600], text[480];
    printf("here\n");
    fflush(stdout);
    while (fgets(order, sizeof order, stdin) != NULL) {
        const char *answer = obey(order, text, sizeof text);
        printf("%s\n", answer != NULL ? answer : strerrorname_np(errno));
        fflush(stdout);
    }
    _exit(0);
}
