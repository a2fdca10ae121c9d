// The part of libfuse's low-level interface that a mounted zone needs, as plain functions and structures.
//
// libfuse's own header has structures with bit fields, macros in place of functions, and symbols that differ between its versions. This
// one has none of these, so that the program above it depends on libfuse in one file. All functions may be called from any thread.
#ifndef KAIRAN_CFUSE_H
#define KAIRAN_CFUSE_H

#include <stddef.h>
#include <stdint.h>

// The number of the node at the root.
#define KAIRAN_FUSE_ROOT 1
// The most bytes of one reading of a file.
#define KAIRAN_FUSE_READ_MAX 524288

// A mount.
typedef struct kairan_fuse kairan_fuse;
// A request of the kernel that waits for one answer.
typedef struct kairan_fuse_request kairan_fuse_request;

// The kind of a call.
typedef enum {
    // Find `name` in the folder `node`.
    KAIRAN_FUSE_LOOKUP,
    // The kernel forgets `node`, which it had looked up `count` times; no answer.
    KAIRAN_FUSE_FORGET,
    // The attributes of `node`.
    KAIRAN_FUSE_ATTRIBUTES,
    // Open the file `node`; `flags` are those of open(2).
    KAIRAN_FUSE_OPEN,
    // Read `count` bytes from `offset` of the open file `handle`. It can be interrupted.
    KAIRAN_FUSE_READ,
    // The open file `handle` is closed; no answer.
    KAIRAN_FUSE_RELEASE,
    // Open the folder `node`.
    KAIRAN_FUSE_OPEN_FOLDER,
    // At most `count` bytes of entries of the open folder `handle` from `offset`.
    KAIRAN_FUSE_READ_FOLDER,
    // The same with the attributes of the entries, which count as looked up.
    KAIRAN_FUSE_READ_FOLDER_PLUS,
    // The open folder `handle` is closed; no answer.
    KAIRAN_FUSE_RELEASE_FOLDER,
    // The size of the file system.
    KAIRAN_FUSE_STATISTICS,
    // The extended attribute `name` of `node`, or its size if `count` is 0. It can be interrupted.
    KAIRAN_FUSE_GET_EXTENDED,
    // The names of the extended attributes of `node`, or their size if `count` is 0.
    KAIRAN_FUSE_LIST_EXTENDED,
    // Create the file `name` in the folder `node`, and open it; `flags` are those of open(2), `mode` its permissions.
    KAIRAN_FUSE_CREATE,
    // Write `count` bytes from `bytes` at `offset` of the open file `handle`.
    KAIRAN_FUSE_WRITE,
    // Set those attributes of `node` that `set` names; the open file is `handle` where `set` has KAIRAN_FUSE_SET_BY_HANDLE.
    KAIRAN_FUSE_SET_ATTRIBUTES,
    // A descriptor of the open file `handle` is closed.
    KAIRAN_FUSE_FLUSH,
    // The open file `handle` is to be durable.
    KAIRAN_FUSE_SYNCHRONIZE,
    // Make the folder `name` in the folder `node`.
    KAIRAN_FUSE_MAKE_FOLDER,
    // Remove the file `name` from the folder `node`.
    KAIRAN_FUSE_UNLINK,
    // Remove the folder `name` from the folder `node`.
    KAIRAN_FUSE_REMOVE_FOLDER,
    // Rename `name` in the folder `node` to `other_name` in the folder `other_node`; `flags` are those of renameat2(2).
    KAIRAN_FUSE_RENAME,
    // The request of this `number` was interrupted; no answer to this call, but soon one to that request.
    KAIRAN_FUSE_INTERRUPTED,
} kairan_fuse_kind;

// The attributes that a call sets: `mode`, `user`, `group`, `count` as the number of bytes, `seconds` and `nanoseconds` as the time of the
// last change; and whether the file is the open one `handle`.
#define KAIRAN_FUSE_SET_MODE 1
#define KAIRAN_FUSE_SET_USER 2
#define KAIRAN_FUSE_SET_GROUP 4
#define KAIRAN_FUSE_SET_SIZE 8
#define KAIRAN_FUSE_SET_TIME 16
#define KAIRAN_FUSE_SET_BY_HANDLE 32

// A call of the kernel; members that the kind does not name are zero.
typedef struct {
    kairan_fuse_kind kind;
    // Flags of the kind.
    int32_t flags;
    // The request to answer; NULL where the kind has no answer.
    kairan_fuse_request *request;
    // The number of the request, which no other one of the mount has.
    uint64_t number;
    uint64_t node;
    uint64_t handle;
    uint64_t offset;
    uint64_t count;
    // A text that ends with a NUL, valid during the call.
    const char *name;
    uint64_t other_node;
    // As `name`.
    const char *other_name;
    // Valid during the call.
    const void *bytes;
    // Values to set, and the ones among them that are set.
    int64_t seconds;
    uint32_t nanoseconds;
    uint32_t mode;
    uint32_t user;
    uint32_t group;
    uint32_t set;
} kairan_fuse_call;

// Takes a call, on the thread of `kairan_fuse_serve`; it should not block.
typedef void (*kairan_fuse_handler)(void *context, const kairan_fuse_call *call);

// The attributes of a node.
typedef struct {
    uint64_t node;
    uint64_t size;
    int64_t seconds;
    uint32_t nanoseconds;
    // Kind and permissions, as st_mode.
    uint32_t mode;
    uint32_t links;
    uint32_t user;
    uint32_t group;
} kairan_fuse_attributes;

// Mounts.
//
// folder: The path of a folder.
// options: Those of mount(8) and of libfuse, separated by commas; `max_read` is added.
// handler, context: Takes the calls.
// Returns the mount; NULL on failure, which libfuse or fusermount3 has explained on standard error.
kairan_fuse *kairan_fuse_mount(const char *folder, const char *options, kairan_fuse_handler handler, void *context);

// Takes calls until the folder is unmounted or `kairan_fuse_stop` is called.
//
// Returns 0, or the number of an error.
int kairan_fuse_serve(kairan_fuse *mount);

// Ends `kairan_fuse_serve`, also one that has not begun yet.
void kairan_fuse_stop(kairan_fuse *mount);

// Unmounts, if that is still to be done, and frees the mount. All requests must be answered, and nothing may use the mount any more.
void kairan_fuse_end(kairan_fuse *mount);

// Makes the kernel forget what a name in a folder stands for.
//
// Returns 0, or the number of an error; ENOENT where the kernel knows neither.
int kairan_fuse_expire_name(kairan_fuse *mount, uint64_t folder, const char *name, size_t length);

// Makes the kernel forget the attributes of a node, and none of its content.
//
// Returns 0, or the number of an error; ENOENT where the kernel does not know the node.
int kairan_fuse_expire_attributes(kairan_fuse *mount, uint64_t node);

// The answers. Each ends its request, whatever it returns: 0, or the number of an error. ENOENT means that the kernel has dropped the
// request, so that the answer has no effect.

// An error of errno, or 0 for success without content.
int kairan_fuse_answer_error(kairan_fuse_request *request, int error);
// A node, which the kernel may keep for so many seconds.
int kairan_fuse_answer_entry(kairan_fuse_request *request, const kairan_fuse_attributes *attributes, double seconds);
// Attributes, which the kernel may keep for so many seconds.
int kairan_fuse_answer_attributes(kairan_fuse_request *request, const kairan_fuse_attributes *attributes, double seconds);
// An open file, whose content the kernel may keep beyond its end, or an open folder.
int kairan_fuse_answer_open(kairan_fuse_request *request, uint64_t handle, int keeps_content);
// A file that was created and is open; the kernel may keep its name and attributes for so many seconds.
int kairan_fuse_answer_created(
    kairan_fuse_request *request, const kairan_fuse_attributes *attributes, uint64_t handle, double seconds);
// The number of bytes that were written.
int kairan_fuse_answer_written(kairan_fuse_request *request, size_t count);
// Bytes.
int kairan_fuse_answer_bytes(kairan_fuse_request *request, const void *bytes, size_t count);
// The size of an extended attribute, or of the list of their names.
int kairan_fuse_answer_size(kairan_fuse_request *request, size_t count);
// The size of the file system: bytes and files that it has, and bytes that it has room for.
int kairan_fuse_answer_statistics(
    kairan_fuse_request *request, uint64_t byte_count, uint64_t file_count, uint64_t free_byte_count);

// Adds an entry of a folder to a buffer.
//
// buffer, room: The place for it.
// name: A text that ends with a NUL.
// attributes: Those of the entry; kind and number suffice without `is_plus`.
// next: The offset behind the entry, not 0.
// is_plus: Whether the attributes are added too, which the kernel may keep for so many seconds.
// Returns the number of bytes that the entry takes; it was not added if they are more than there is room for.
size_t kairan_fuse_add_entry(
    void *buffer, size_t room, const char *name, const kairan_fuse_attributes *attributes, uint64_t next, int is_plus,
    double seconds);

// Opens a file without a name for reading and writing: its bytes go with its last descriptor.
//
// folder: The path of the folder on whose file system it is.
// Returns the descriptor, or the number of an error below zero.
int kairan_open_unnamed(const char *folder);

// Gives a file without a name, of `kairan_open_unnamed`, a name.
//
// Returns 0, or the number of an error: EEXIST where the path stands for something, ENOENT where the file system has no such files,
// so that the file had a name before and cannot get another one.
int kairan_name_file(int descriptor, const char *path);

// Whether a process has the other end of a pipe open to read it.
//
// pipe: The end that is written to.
// Returns 1, or 0 where a write would fail.
int kairan_has_reader(int pipe);

// Writes a message to the log of the system, under the name of this program.
void kairan_log(const char *message);

#endif
