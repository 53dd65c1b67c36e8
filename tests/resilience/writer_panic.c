/* Makes the writer thread of the store panic: while a file exists, the monotonic clock fails in that thread, and Rust's
   standard library panics when it does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static int fails(clockid_t clock) {
    char thread[16] = "";
    const char *order = getenv("WRITER_PANIC");
    /* The log needs the time of day to report the panic. */
    return clock == CLOCK_MONOTONIC && order && access(order, F_OK) == 0
        && prctl(PR_GET_NAME, thread) == 0 && strcmp(thread, "store writer") == 0;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int kept = errno;
    if (fails(clock)) { errno = EINVAL; return -1; }
    errno = kept;
    return real(clock, time);
}
