/* Resets signals by the system call, as sigaction(3) refuses the two that glibc keeps to itself. */
#include "base/dispositions.h"

#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

void cf_dispositions_reset(void)
{
    /* Larger than the kernel's struct sigaction, of which all zeros is the default everywhere. */
    static const unsigned long plain[8];
    for (int number = 1; number < NSIG; number++)
        syscall(SYS_rt_sigaction, number, plain, NULL, (size_t)(NSIG - 1) / 8);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}
