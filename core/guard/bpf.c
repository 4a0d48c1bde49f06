/* Writes out a filter with a bound on the system call number in front. */
#include "guard/bpf.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fds.h"

/* Numbers are the same on every architecture from 424 on, except where they have a base of their
 * own (MIPS), where this bound would be wrong and is left out. */
#define IS_NUMBERED_AS_USUAL (SYS_clone3 == 435)

static int append_bound(struct cf_bytes *program, unsigned newest, struct cf_error *err)
{
    const struct sock_filter bound[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, seccomp_arch_native(), 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, newest, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    };
    return IS_NUMBERED_AS_USUAL ? cf_bytes_append(program, bound, sizeof bound, err) : 0;
}

int cf_bpf_export(scmp_filter_ctx filter, unsigned newest, struct cf_error *err)
{
    cf_autobytes struct cf_bytes program = CF_BYTES_EMPTY;
    cf_autoclose int exported = memfd_create("filter", MFD_CLOEXEC);
    if (exported < 0)
        return cf_fail(err, errno, "memfd_create for the seccomp program");
    int result = seccomp_export_bpf(filter, exported);
    if (result < 0)
        return cf_fail(err, -result, "seccomp_export_bpf");
    if (lseek(exported, 0, SEEK_SET) < 0)
        return cf_fail(err, errno, "rewind the seccomp program");
    /* Jumps are relative: what stands in front moves nothing. */
    if (append_bound(&program, newest, err) < 0 ||
        cf_read_all(exported, "the seccomp program", BPF_MAXINSNS * sizeof(struct sock_filter),
                    &program, err) < 0)
        return -1;
    return cf_memfd_from("seccomp", program.data, program.len, err);
}
