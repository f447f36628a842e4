/* A disk that fails and a clock that jumps, put before a process with LD_PRELOAD.
 *
 * Counts what the process does to files: creating, writing, cutting, flushing, renaming. Settings are environment variables:
 *   FAULT_AT     fail the operation of this number, from 1; 0 for none
 *   FAULT_ALL    1: fail all from there on; 0: only that one
 *   FAULT_ERRNO  how
 *   FAULT_ONLY   count only operations on files whose path has this in it
 *   FAULT_LOG    a file that gets a line for each operation: number, name, path, and whether it failed
 *   FAULT_CLOCK  a file of 8 bytes: nanoseconds by which the wall clock is wrong, now
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static long fault_at, counted;
static int fault_all, fault_errno = ENOSPC, log_fd = -1, ready;
static const char *only;
static const volatile int64_t *skew;

static long number(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text ? atol(text) : otherwise;
}

__attribute__((constructor)) static void begin(void) {
    fault_at = number("FAULT_AT", 0);
    fault_all = (int)number("FAULT_ALL", 0);
    fault_errno = (int)number("FAULT_ERRNO", ENOSPC);
    only = getenv("FAULT_ONLY");
    const char *log = getenv("FAULT_LOG");
    if (log) log_fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const char *clock = getenv("FAULT_CLOCK");
    if (clock) {
        int fd = (int)syscall(SYS_openat, AT_FDCWD, clock, O_RDONLY | O_CLOEXEC, 0);
        void *place = mmap(NULL, sizeof *skew, PROT_READ, MAP_SHARED, fd, 0);
        if (place != MAP_FAILED) skew = place;
        syscall(SYS_close, fd);
    }
    ready = 1;
}

/* Counts an operation on `path`; whether it is to fail. */
static int fails(const char *name, const char *path) {
    if (!ready || !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6) || (only && !strstr(path, only))) return 0;
    long now = __atomic_add_fetch(&counted, 1, __ATOMIC_SEQ_CST);
    int failing = fault_at > 0 && (fault_all ? now >= fault_at : now == fault_at);
    if (log_fd >= 0) {
        char line[PATH_MAX + 64];
        int length = snprintf(line, sizeof line, "%ld %s %s%s\n", now, name, path, failing ? " failed" : "");
        syscall(SYS_write, log_fd, line, (size_t)length);
    }
    if (failing) errno = fault_errno;
    return failing;
}

/* As above, of an open file; pipes and sockets have no disk. */
static int fails_at(const char *name, int fd) {
    struct stat status;
    if (!ready || fstat(fd, &status) || !S_ISREG(status.st_mode)) return 0;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    return fails(name, path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define ON_FILE(type, name, parameters, arguments) \
    type name parameters { return fails_at(#name, fd) ? -1 : REAL(name) arguments; }

ON_FILE(ssize_t, write, (int fd, const void *bytes, size_t size), (fd, bytes, size))
ON_FILE(ssize_t, pwrite, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at))
ON_FILE(ssize_t, pwrite64, (int fd, const void *bytes, size_t size, off64_t at), (fd, bytes, size, at))
ON_FILE(ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count))
ON_FILE(int, ftruncate, (int fd, off_t size), (fd, size))
ON_FILE(int, ftruncate64, (int fd, off64_t size), (fd, size))
ON_FILE(int, fsync, (int fd), (fd))
ON_FILE(int, fdatasync, (int fd), (fd))

int rename(const char *from, const char *to) { return fails("rename", to) ? -1 : REAL(rename)(from, to); }

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        int creates = (flags & O_CREAT) && access(path, F_OK) != 0; \
        if (creates && fails("create", path)) return -1; \
        return REAL(name)(path, flags, mode); \
    }

OPEN(open)
OPEN(open64)

int clock_gettime(clockid_t clock, struct timespec *time) {
    int outcome = (int)syscall(SYS_clock_gettime, clock, time);
    if (outcome == 0 && clock == CLOCK_REALTIME && skew) {
        int64_t now = (int64_t)time->tv_sec * 1000000000 + time->tv_nsec + *skew;
        time->tv_sec = now / 1000000000;
        time->tv_nsec = now % 1000000000;
    }
    return outcome;
}

int gettimeofday(struct timeval *time, void *zone) {
    (void)zone;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *place) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (place) *place = now.tv_sec;
    return now.tv_sec;
}
