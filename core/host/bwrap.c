/* Runs bwrap --version and --help once for each installed bwrap and reads the answers. */
#include "host/bwrap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/fds.h"
#include "host/cache.h"
#include "host/child.h"

#define ANSWER_MAX 262144
#define PATIENCE_MS 10000

void cf_bwrap_free(struct cf_bwrap *bwrap)
{
    free(bwrap->options);
    cf_bytes_free(&bwrap->text);
    *bwrap = (struct cf_bwrap){ .setuid = false };
}

void cf_bwrap_identity(const struct stat *about, char *line, size_t size)
{
    snprintf(line, size, "%llx:%llx:%lld:%lld.%09ld", (unsigned long long)about->st_dev,
             (unsigned long long)about->st_ino, (long long)about->st_size,
             (long long)about->st_mtim.tv_sec, about->st_mtim.tv_nsec);
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

bool cf_bwrap_has(const struct cf_bwrap *bwrap, const char *option)
{
    if (bwrap->option_count == 0)
        return false;
    size_t size = sizeof option;
    return bsearch(&option, bwrap->options, bwrap->option_count, size, by_name) != NULL;
}

static int add_option(struct cf_bwrap *bwrap, size_t *cap, const char *option,
                      struct cf_error *err)
{
    void *options = cf_array_grow(bwrap->options, cap, bwrap->option_count + 2,
                                  sizeof *bwrap->options, err);
    if (options == NULL)
        return -1;
    bwrap->options = options;
    bwrap->options[bwrap->option_count++] = option;
    return 0;
}

static void sort_options(struct cf_bwrap *bwrap)
{
    if (bwrap->option_count == 0)
        return;
    qsort(bwrap->options, bwrap->option_count, sizeof *bwrap->options, by_name);
    size_t kept = 1;
    for (size_t at = 1; at < bwrap->option_count; at++)
        if (strcmp(bwrap->options[at], bwrap->options[kept - 1]) != 0)
            bwrap->options[kept++] = bwrap->options[at];
    bwrap->option_count = kept;
    bwrap->options[kept] = NULL;
}

static bool is_option_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

int cf_bwrap_parse(const char *help, size_t len, struct cf_bwrap *bwrap, struct cf_error *err)
{
    size_t cap = 0;
    if (cf_bytes_append(&bwrap->text, help, len, err) < 0)
        return -1;
    char *at = bwrap->text.data;
    char *end = at + len;
    while (at < end) {
        char *stop = memchr(at, '\n', (size_t)(end - at));
        char *next = stop == NULL ? end : stop + 1;
        while (at < next && (*at == ' ' || *at == '\t'))
            at++;
        char *option = at;
        while (at < next && is_option_byte(*at))
            at++;
        /* "--die-with-parent   Kills ..." is an option, "--" and "--[no-]x" are not. */
        bool whole = at < end && (*at == ' ' || *at == '\t' || *at == '\n');
        if (whole && at - option > 2 && option[0] == '-' && option[1] == '-') {
            *at = '\0';
            if (add_option(bwrap, &cap, option, err) < 0)
                return -1;
        }
        at = next;
    }
    sort_options(bwrap);
    return 0;
}

static int ask(const char *path, const char *question, struct cf_bytes *answer,
               struct cf_error *err)
{
    const char *argv[] = { "bwrap", question, NULL };
    const char *envp[] = { "LC_ALL=C", NULL };
    int status = cf_child_run(path, argv, envp, PATIENCE_MS, ANSWER_MAX, answer, err);
    if (status < 0)
        return -1;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return cf_fail(err, 0, "run %s %s: ended with wait status %d", path, question, status);
    return 0;
}

/* The text that is remembered: the version's line, then the help. */
static int ask_both(const char *path, struct cf_bytes *text, struct cf_error *err)
{
    if (ask(path, "--version", text, err) < 0)
        return -1;
    if (text->len == 0 || memchr(text->data, '\n', text->len) != text->data + text->len - 1)
        return cf_fail(err, 0, "run %s --version: answered %s", path,
                       text->len == 0 ? "nothing" : text->data);
    return ask(path, "--help", text, err);
}

static int read_answers(const struct cf_bytes *text, const char *path, struct cf_bwrap *bwrap,
                        struct cf_error *err)
{
    const char *line_end = memchr(text->data, '\n', text->len);
    if (line_end == NULL)
        return cf_fail(err, 0, "run %s --version: no answer", path);
    const char *version = memrchr(text->data, ' ', (size_t)(line_end - text->data));
    version = version == NULL ? text->data : version + 1;
    snprintf(bwrap->version, sizeof bwrap->version, "%.*s", (int)(line_end - version), version);
    size_t used = (size_t)(line_end + 1 - text->data);
    if (cf_bwrap_parse(line_end + 1, text->len - used, bwrap, err) < 0)
        return -1;
    if (bwrap->option_count == 0)
        return cf_fail(err, 0, "run %s --help: names no option", path);
    return 0;
}

int cf_bwrap_read(const char *path, const char *cache, struct cf_bwrap *bwrap,
                  struct cf_error *err)
{
    struct stat about;
    char identity[128], name[64];
    cf_autobytes struct cf_bytes text = CF_BYTES_EMPTY;
    *bwrap = (struct cf_bwrap){ .setuid = false };
    if (stat(path, &about) < 0)
        return cf_fail(err, errno, "stat %s", path);
    cf_bwrap_identity(&about, identity, sizeof identity);
    snprintf(name, sizeof name, "bwrap.%llx.%llx", (unsigned long long)about.st_dev,
             (unsigned long long)about.st_ino);
    cf_autoclose int store = cache == NULL ? -1 : cf_cache_open(cache, NULL);
    bool known = store >= 0 && cf_cache_get(store, name, identity, &text) == 1;
    if (!known && ask_both(path, &text, err) < 0)
        return -1;
    if (read_answers(&text, path, bwrap, err) < 0) {
        cf_bwrap_free(bwrap);
        return -1;
    }
    bwrap->setuid = (about.st_mode & S_ISUID) != 0 && about.st_uid == 0;
    if (!known && store >= 0)
        cf_cache_put(store, name, identity, text.data, text.len, NULL);
    return 0;
}
