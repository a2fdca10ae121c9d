#define _GNU_SOURCE
#include "CFiles.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// The attempts to open a path during each of which something is renamed, with a millisecond between two of them.
enum { RENAMED_ATTEMPTS = 1000 };

int kairan_open_beneath(int folder, const char *path, int flags, unsigned int mode) {
    struct open_how how;
    memset(&how, 0, sizeof how);
    how.flags = (unsigned int)flags | O_CLOEXEC;
    // The kernel refuses a mode where no file is made.
    if (flags & O_CREAT) how.mode = mode;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    for (int attempt = 1;; attempt++) {
        long descriptor;
        do {
            descriptor = syscall(SYS_openat2, folder, path, &how, sizeof how);
        } while (descriptor < 0 && errno == EINTR);
        // EAGAIN: something was renamed during the search, so that the kernel cannot tell whether the path stays beneath the folder. Any
        // process of the machine may rename all the time.
        if (descriptor >= 0 || errno != EAGAIN || attempt == RENAMED_ATTEMPTS) return (int)descriptor;
        const struct timespec pause = {.tv_sec = 0, .tv_nsec = 1000000};
        nanosleep(&pause, NULL);
    }
}

int kairan_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int kairan_rename_to_new(int from_folder, const char *from, int to_folder, const char *to) {
    return renameat2(from_folder, from, to_folder, to, RENAME_NOREPLACE);
}

int kairan_exchange(int first_folder, const char *first, int second_folder, const char *second) {
    return renameat2(first_folder, first, second_folder, second, RENAME_EXCHANGE);
}
