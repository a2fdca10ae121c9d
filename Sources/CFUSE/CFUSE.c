#define _GNU_SOURCE
#define FUSE_USE_VERSION 35
#include "CFUSE.h"

#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse_lowlevel.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

// At most so many requests are interrupted by one message of the kernel, which names one.
#define INTERRUPTED_MAX 4

struct kairan_fuse {
    struct fuse_session *session;
    kairan_fuse_handler handler;
    void *context;
    // Readable once the mount is to end.
    int stop;
    // The number of the last request.
    uint64_t number;
    // Requests that the present message has interrupted. Only the thread that serves uses them.
    uint64_t interrupted[INTERRUPTED_MAX];
    size_t interrupted_count;
};

static fuse_req_t raw(kairan_fuse_request *request) { return (fuse_req_t)request; }

static kairan_fuse *mount_of(fuse_req_t request) { return fuse_req_userdata(request); }

// Passes a call on.
static void pass(fuse_req_t request, kairan_fuse_call call) {
    kairan_fuse *mount = mount_of(request);
    call.request = (kairan_fuse_request *)request;
    call.number = ++mount->number;
    mount->handler(mount->context, &call);
}

// Notes that a request was interrupted. libfuse holds locks of the request here, so that it must not be answered yet.
static void note_interrupt(fuse_req_t request, void *data) {
    kairan_fuse *mount = mount_of(request);
    if (mount->interrupted_count < INTERRUPTED_MAX) mount->interrupted[mount->interrupted_count++] = (uintptr_t)data;
}

// Passes on a call that may take long. The request may be answered, and gone, as soon as it is passed on: so libfuse learns first where
// to report an interruption.
static void pass_interruptible(fuse_req_t request, kairan_fuse_call call) {
    uint64_t number = mount_of(request)->number + 1;
    fuse_req_interrupt_func(request, note_interrupt, (void *)(uintptr_t)number);
    pass(request, call);
}

// Passes on a call without an answer, and ends its request.
static void tell(fuse_req_t request, kairan_fuse_call call) {
    kairan_fuse *mount = mount_of(request);
    mount->handler(mount->context, &call);
}

// ---------------------------------------------------------------- calls of libfuse

static void begin(void *context, struct fuse_conn_info *connection) {
    (void)context;
    // libfuse demands that it is the value of the option.
    connection->max_read = KAIRAN_FUSE_READ_MAX;
    // One reading of a file after the other, in the order of their offsets: the answer of the daemon is one stream. No content of a node
    // ever changes but by writing through this mount, so nothing is to be dropped when its time does. Answers come from memory. Written
    // bytes are passed on at once, so that an error reaches the program that writes.
    connection->want &= ~(unsigned)(
        FUSE_CAP_ASYNC_READ | FUSE_CAP_AUTO_INVAL_DATA | FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE |
        FUSE_CAP_SPLICE_MOVE | FUSE_CAP_FLOCK_LOCKS | FUSE_CAP_POSIX_LOCKS | FUSE_CAP_WRITEBACK_CACHE);
    // A content that is to be dropped is not fetched first.
    connection->want |= connection->capable & (unsigned)FUSE_CAP_ATOMIC_O_TRUNC;
}

static void look_up(fuse_req_t request, fuse_ino_t folder, const char *name) {
    pass(request, (kairan_fuse_call){.kind = KAIRAN_FUSE_LOOKUP, .node = folder, .name = name});
}

static void forget(fuse_req_t request, fuse_ino_t node, uint64_t count) {
    tell(request, (kairan_fuse_call){.kind = KAIRAN_FUSE_FORGET, .node = node, .count = count});
    fuse_reply_none(request);
}

static void forget_many(fuse_req_t request, size_t count, struct fuse_forget_data *forgotten) {
    for (size_t i = 0; i < count; i++)
        tell(
            request,
            (kairan_fuse_call){.kind = KAIRAN_FUSE_FORGET, .node = forgotten[i].ino, .count = forgotten[i].nlookup});
    fuse_reply_none(request);
}

static void get_attributes(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *file) {
    (void)file;
    pass(request, (kairan_fuse_call){.kind = KAIRAN_FUSE_ATTRIBUTES, .node = node});
}

static void open_file(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *file) {
    pass(request, (kairan_fuse_call){.kind = KAIRAN_FUSE_OPEN, .node = node, .flags = file->flags});
}

static void read_file(fuse_req_t request, fuse_ino_t node, size_t count, off_t offset, struct fuse_file_info *file) {
    pass_interruptible(
        request,
        (kairan_fuse_call){
            .kind = KAIRAN_FUSE_READ, .node = node, .handle = file->fh, .offset = (uint64_t)offset, .count = count});
}

static void release_file(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *file) {
    tell(request, (kairan_fuse_call){.kind = KAIRAN_FUSE_RELEASE, .node = node, .handle = file->fh});
    fuse_reply_err(request, 0);
}

static void open_folder(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *file) {
    (void)file;
    pass(request, (kairan_fuse_call){.kind = KAIRAN_FUSE_OPEN_FOLDER, .node = node});
}

static void list(
    fuse_req_t request, fuse_ino_t node, size_t count, off_t offset, struct fuse_file_info *file, kairan_fuse_kind kind) {
    pass(
        request,
        (kairan_fuse_call){
            .kind = kind, .node = node, .handle = file->fh, .offset = (uint64_t)offset, .count = count});
}

static void read_folder(fuse_req_t request, fuse_ino_t node, size_t count, off_t offset, struct fuse_file_info *file) {
    list(request, node, count, offset, file, KAIRAN_FUSE_READ_FOLDER);
}

static void read_folder_plus(
    fuse_req_t request, fuse_ino_t node, size_t count, off_t offset, struct fuse_file_info *file) {
    list(request, node, count, offset, file, KAIRAN_FUSE_READ_FOLDER_PLUS);
}

static void release_folder(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *file) {
    tell(request, (kairan_fuse_call){.kind = KAIRAN_FUSE_RELEASE_FOLDER, .node = node, .handle = file->fh});
    fuse_reply_err(request, 0);
}

static void statistics(fuse_req_t request, fuse_ino_t node) {
    pass(request, (kairan_fuse_call){.kind = KAIRAN_FUSE_STATISTICS, .node = node});
}

static void get_extended(fuse_req_t request, fuse_ino_t node, const char *name, size_t count) {
    pass_interruptible(
        request, (kairan_fuse_call){.kind = KAIRAN_FUSE_GET_EXTENDED, .node = node, .name = name, .count = count});
}

static void list_extended(fuse_req_t request, fuse_ino_t node, size_t count) {
    pass(request, (kairan_fuse_call){.kind = KAIRAN_FUSE_LIST_EXTENDED, .node = node, .count = count});
}

static void create_file(
    fuse_req_t request, fuse_ino_t folder, const char *name, mode_t mode, struct fuse_file_info *file) {
    pass(
        request,
        (kairan_fuse_call){
            .kind = KAIRAN_FUSE_CREATE, .node = folder, .name = name, .mode = mode, .flags = file->flags});
}

static void write_file(
    fuse_req_t request, fuse_ino_t node, const char *bytes, size_t count, off_t offset, struct fuse_file_info *file) {
    pass(
        request,
        (kairan_fuse_call){
            .kind = KAIRAN_FUSE_WRITE,
            .node = node,
            .handle = file->fh,
            .offset = (uint64_t)offset,
            .count = count,
            .bytes = bytes});
}

static void set_attributes(
    fuse_req_t request, fuse_ino_t node, struct stat *status, int set, struct fuse_file_info *file) {
    kairan_fuse_call call = {
        .kind = KAIRAN_FUSE_SET_ATTRIBUTES,
        .node = node,
        .handle = file ? file->fh : 0,
        .count = (uint64_t)status->st_size,
        .mode = status->st_mode,
        .user = status->st_uid,
        .group = status->st_gid,
        .seconds = status->st_mtim.tv_sec,
        .nanoseconds = (uint32_t)status->st_mtim.tv_nsec,
        .set = file ? KAIRAN_FUSE_SET_BY_HANDLE : 0,
    };
    if (set & FUSE_SET_ATTR_MODE) call.set |= KAIRAN_FUSE_SET_MODE;
    if (set & FUSE_SET_ATTR_UID) call.set |= KAIRAN_FUSE_SET_USER;
    if (set & FUSE_SET_ATTR_GID) call.set |= KAIRAN_FUSE_SET_GROUP;
    if (set & FUSE_SET_ATTR_SIZE) call.set |= KAIRAN_FUSE_SET_SIZE;
    if (set & (FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_MTIME_NOW)) call.set |= KAIRAN_FUSE_SET_TIME;
    if (set & FUSE_SET_ATTR_MTIME_NOW) {
        struct timespec now = {0};
        clock_gettime(CLOCK_REALTIME, &now);
        call.seconds = now.tv_sec;
        call.nanoseconds = (uint32_t)now.tv_nsec;
    }
    pass(request, call);
}

static void flush_file(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *file) {
    pass(request, (kairan_fuse_call){.kind = KAIRAN_FUSE_FLUSH, .node = node, .handle = file->fh});
}

static void synchronize_file(fuse_req_t request, fuse_ino_t node, int content_alone, struct fuse_file_info *file) {
    (void)content_alone;
    pass(request, (kairan_fuse_call){.kind = KAIRAN_FUSE_SYNCHRONIZE, .node = node, .handle = file->fh});
}

static void make_folder(fuse_req_t request, fuse_ino_t folder, const char *name, mode_t mode) {
    (void)mode;
    pass(request, (kairan_fuse_call){.kind = KAIRAN_FUSE_MAKE_FOLDER, .node = folder, .name = name});
}

static void unlink_file(fuse_req_t request, fuse_ino_t folder, const char *name) {
    pass(request, (kairan_fuse_call){.kind = KAIRAN_FUSE_UNLINK, .node = folder, .name = name});
}

static void remove_folder(fuse_req_t request, fuse_ino_t folder, const char *name) {
    pass(request, (kairan_fuse_call){.kind = KAIRAN_FUSE_REMOVE_FOLDER, .node = folder, .name = name});
}

static void rename_node(
    fuse_req_t request, fuse_ino_t folder, const char *name, fuse_ino_t other_folder, const char *other_name,
    unsigned flags) {
    pass(
        request,
        (kairan_fuse_call){
            .kind = KAIRAN_FUSE_RENAME,
            .node = folder,
            .name = name,
            .other_node = other_folder,
            .other_name = other_name,
            .flags = (int32_t)flags});
}

// Kinds of files and facts that a zone does not have.

static void refuse_node(fuse_req_t request, fuse_ino_t folder, const char *name, mode_t mode, dev_t device) {
    (void)folder, (void)name, (void)mode, (void)device;
    fuse_reply_err(request, EPERM);
}

static void refuse_symbolic_link(fuse_req_t request, const char *target, fuse_ino_t folder, const char *name) {
    (void)target, (void)folder, (void)name;
    fuse_reply_err(request, EPERM);
}

static void refuse_link(fuse_req_t request, fuse_ino_t node, fuse_ino_t folder, const char *name) {
    (void)node, (void)folder, (void)name;
    fuse_reply_err(request, EPERM);
}

static void refuse_extended(
    fuse_req_t request, fuse_ino_t node, const char *name, const char *value, size_t count, int flags) {
    (void)node, (void)name, (void)value, (void)count, (void)flags;
    fuse_reply_err(request, ENOTSUP);
}

static void refuse_removal(fuse_req_t request, fuse_ino_t node, const char *name) {
    (void)node, (void)name;
    fuse_reply_err(request, ENOTSUP);
}

static const struct fuse_lowlevel_ops operations = {
    .init = begin,
    .lookup = look_up,
    .forget = forget,
    .forget_multi = forget_many,
    .getattr = get_attributes,
    .open = open_file,
    .read = read_file,
    .release = release_file,
    .opendir = open_folder,
    .readdir = read_folder,
    .readdirplus = read_folder_plus,
    .releasedir = release_folder,
    .statfs = statistics,
    .getxattr = get_extended,
    .listxattr = list_extended,
    .create = create_file,
    .write = write_file,
    .setattr = set_attributes,
    .flush = flush_file,
    .fsync = synchronize_file,
    .mkdir = make_folder,
    .unlink = unlink_file,
    .rmdir = remove_folder,
    .rename = rename_node,
    .mknod = refuse_node,
    .symlink = refuse_symbolic_link,
    .link = refuse_link,
    .setxattr = refuse_extended,
    .removexattr = refuse_removal,
};

// ---------------------------------------------------------------- the mount

static void free_mount(kairan_fuse *mount) {
    if (mount->session) fuse_session_destroy(mount->session);
    if (mount->stop >= 0) close(mount->stop);
    free(mount);
}

kairan_fuse *kairan_fuse_mount(const char *folder, const char *options, kairan_fuse_handler handler, void *context) {
    kairan_fuse *mount = calloc(1, sizeof *mount);
    if (!mount) return NULL;
    mount->handler = handler;
    mount->context = context;
    mount->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    char size[32];
    snprintf(size, sizeof size, "max_read=%d", KAIRAN_FUSE_READ_MAX);
    // libfuse copies them, and takes them by a type without const.
    char *arguments[] = {(char *)"kairan-mount", (char *)"-o", (char *)options, (char *)"-o", size, NULL};
    struct fuse_args list = FUSE_ARGS_INIT(5, arguments);
    if (mount->stop >= 0) mount->session = fuse_session_new(&list, &operations, sizeof operations, mount);
    fuse_opt_free_args(&list);
    if (!mount->session || fuse_session_mount(mount->session, folder) != 0) {
        free_mount(mount);
        return NULL;
    }
    return mount;
}

int kairan_fuse_serve(kairan_fuse *mount) {
    int device = fuse_session_fd(mount->session);
    // A request that is withdrawn between the waiting and the reading must not keep this thread from ending.
    int flags = fcntl(device, F_GETFL);
    if (flags < 0 || fcntl(device, F_SETFL, flags | O_NONBLOCK) < 0) return errno;
    struct fuse_buf buffer = {0};
    int error = 0;
    while (!fuse_session_exited(mount->session)) {
        struct pollfd waits[] = {{.fd = device, .events = POLLIN}, {.fd = mount->stop, .events = POLLIN}};
        if (poll(waits, 2, -1) < 0) {
            if (errno == EINTR) continue;
            error = errno;
            break;
        }
        if (waits[1].revents) break;
        int count = fuse_session_receive_buf(mount->session, &buffer);
        if (count == -EINTR || count == -EAGAIN) continue;
        if (count <= 0) {
            // The device ends with the mount.
            error = count == -ENODEV ? 0 : -count;
            break;
        }
        mount->interrupted_count = 0;
        fuse_session_process_buf(mount->session, &buffer);
        for (size_t i = 0; i < mount->interrupted_count; i++) {
            kairan_fuse_call call = {.kind = KAIRAN_FUSE_INTERRUPTED, .number = mount->interrupted[i]};
            mount->handler(mount->context, &call);
        }
    }
    free(buffer.mem);
    return error;
}

void kairan_fuse_stop(kairan_fuse *mount) {
    uint64_t one = 1;
    // It can fail only where the counter is at its end, and then it is readable.
    ssize_t written = write(mount->stop, &one, sizeof one);
    (void)written;
}

void kairan_fuse_end(kairan_fuse *mount) {
    fuse_session_unmount(mount->session);
    free_mount(mount);
}

int kairan_fuse_expire_name(kairan_fuse *mount, uint64_t folder, const char *name, size_t length) {
    return -fuse_lowlevel_notify_inval_entry(mount->session, folder, name, length);
}

int kairan_fuse_expire_attributes(kairan_fuse *mount, uint64_t node) {
    return -fuse_lowlevel_notify_inval_inode(mount->session, node, -1, 0);
}

// ---------------------------------------------------------------- answers

static struct stat status_of(const kairan_fuse_attributes *attributes) {
    struct stat status = {0};
    status.st_ino = attributes->node;
    status.st_mode = attributes->mode;
    status.st_nlink = attributes->links;
    status.st_uid = attributes->user;
    status.st_gid = attributes->group;
    status.st_size = (off_t)attributes->size;
    status.st_blksize = 1 << 17;
    // Of 512 bytes each.
    status.st_blocks = (blkcnt_t)(attributes->size / 512 + (attributes->size % 512 != 0));
    status.st_mtim.tv_sec = attributes->seconds;
    status.st_mtim.tv_nsec = attributes->nanoseconds;
    status.st_atim = status.st_ctim = status.st_mtim;
    return status;
}

static struct fuse_entry_param entry_of(const kairan_fuse_attributes *attributes, double seconds) {
    return (struct fuse_entry_param){
        .ino = attributes->node,
        .generation = 1,
        .attr = status_of(attributes),
        .attr_timeout = seconds,
        .entry_timeout = seconds,
    };
}

int kairan_fuse_answer_error(kairan_fuse_request *request, int error) { return -fuse_reply_err(raw(request), error); }

int kairan_fuse_answer_entry(kairan_fuse_request *request, const kairan_fuse_attributes *attributes, double seconds) {
    struct fuse_entry_param entry = entry_of(attributes, seconds);
    return -fuse_reply_entry(raw(request), &entry);
}

int kairan_fuse_answer_attributes(
    kairan_fuse_request *request, const kairan_fuse_attributes *attributes, double seconds) {
    struct stat status = status_of(attributes);
    return -fuse_reply_attr(raw(request), &status, seconds);
}

int kairan_fuse_answer_open(kairan_fuse_request *request, uint64_t handle, int keeps_content) {
    struct fuse_file_info file = {0};
    file.fh = handle;
    file.keep_cache = keeps_content != 0;
    return -fuse_reply_open(raw(request), &file);
}

int kairan_fuse_answer_created(
    kairan_fuse_request *request, const kairan_fuse_attributes *attributes, uint64_t handle, double seconds) {
    struct fuse_entry_param entry = entry_of(attributes, seconds);
    struct fuse_file_info file = {0};
    file.fh = handle;
    return -fuse_reply_create(raw(request), &entry, &file);
}

int kairan_fuse_answer_written(kairan_fuse_request *request, size_t count) {
    return -fuse_reply_write(raw(request), count);
}

int kairan_fuse_answer_bytes(kairan_fuse_request *request, const void *bytes, size_t count) {
    return -fuse_reply_buf(raw(request), bytes, count);
}

int kairan_fuse_answer_size(kairan_fuse_request *request, size_t count) {
    return -fuse_reply_xattr(raw(request), count);
}

int kairan_fuse_answer_statistics(
    kairan_fuse_request *request, uint64_t byte_count, uint64_t file_count, uint64_t free_byte_count) {
    struct statvfs statistics = {0};
    statistics.f_bsize = statistics.f_frsize = 4096;
    statistics.f_bfree = statistics.f_bavail = free_byte_count / 4096;
    statistics.f_blocks = byte_count / 4096 + (byte_count % 4096 != 0) + statistics.f_bfree;
    statistics.f_files = file_count;
    statistics.f_namemax = 255;
    return -fuse_reply_statfs(raw(request), &statistics);
}

// libfuse does not use the request here.
size_t kairan_fuse_add_entry(
    void *buffer, size_t room, const char *name, const kairan_fuse_attributes *attributes, uint64_t next, int is_plus,
    double seconds) {
    if (is_plus) {
        struct fuse_entry_param entry = entry_of(attributes, seconds);
        return fuse_add_direntry_plus(NULL, buffer, room, name, &entry, (off_t)next);
    }
    struct stat status = status_of(attributes);
    return fuse_add_direntry(NULL, buffer, room, name, &status, (off_t)next);
}

// ---------------------------------------------------------------- the process that waits

int kairan_has_reader(int pipe) {
    // Without events asked for, the error that no reader is left is reported all the same.
    struct pollfd end = {.fd = pipe, .events = 0};
    int found;
    do {
        found = poll(&end, 1, 0);
    } while (found < 0 && errno == EINTR);
    return found == 0;
}

// ---------------------------------------------------------------- files without a name

void kairan_log(const char *message) {
    static const char name[] = "kairan-mount";
    openlog(name, LOG_PID, LOG_USER);
    syslog(LOG_WARNING, "%s", message);
}

int kairan_open_unnamed(const char *folder) {
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0) return file;
    // Not every file system has files without a name; there it has one for a moment.
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) return -errno;
    char *path = NULL;
    if (asprintf(&path, "%s/.staged-XXXXXX", folder) < 0) return -ENOMEM;
    file = mkostemp(path, O_CLOEXEC);
    int error = errno;
    if (file >= 0) unlink(path);
    free(path);
    return file >= 0 ? file : -error;
}

int kairan_name_file(int descriptor, const char *path) {
    char source[64];
    snprintf(source, sizeof source, "/proc/self/fd/%d", descriptor);
    return linkat(AT_FDCWD, source, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}
