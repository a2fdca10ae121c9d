// Declarations shared by the VFS and the model of the disk.

#ifndef FAULTY_DISK_H
#define FAULTY_DISK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CFaultyVFS.h"

/// One change of a file that no sync has made durable.
struct change {
    struct change *next;
    bool is_truncation;
    /// Where a write begins; the new length of a truncation.
    int64_t offset;
    int64_t count;
    uint8_t *bytes;
    /// From where on a truncation has taken hold when the power is back; drawn anew each time.
    int64_t reach;
};

/// A file, under any name or none.
struct inode {
    struct inode *next;
    /// The durable content.
    uint8_t *image;
    int64_t size;
    int64_t capacity;
    struct change *first;
    struct change *last;
    /// The next sync makes the names of the directory durable as well, as SQLite's own VFS does.
    bool syncs_names;
    int open_count;
};

/// The file that a name means. NULL: there is no such file.
struct entry {
    struct entry *next;
    char *path;
    struct inode *durable;
    /// The meanings since the names were last made durable, oldest first.
    struct inode **later;
    size_t later_count;
};

struct disk {
    bool is_used;
    char *root;
    size_t root_length;
    struct inode *inodes;
    struct entry *entries;

    uint64_t change_count;
    uint64_t cut_at;
    bool is_dead;
    bool is_paused;
    bool ignores_sync;
    char *witness;
    bool witness_existed;
    int open_count;

    uint32_t fault_kinds;
    uint64_t fault_first;
    uint64_t fault_count;
    uint32_t fault;
    uint64_t met_count;
    uint64_t failure_count;
};

/// Guards all disks.
extern pthread_mutex_t faulty_lock;

/// The decision about an operation.
enum verdict { GO_AHEAD, DEAD, INTERRUPTED, FAILING };

/// The disk that a path lies on; NULL for the world outside.
struct disk *disk_of(const char *path);

/// The disk of a handle.
struct disk *disk_at(int32_t handle);

/// Counts an operation and decides about it.
enum verdict disk_decide(struct disk *disk, uint32_t kind);

/// The entry of a name, made if asked for; NULL if there is none.
struct entry *disk_entry(struct disk *disk, const char *path, bool is_made);
struct inode *entry_current(const struct entry *entry);
void entry_set(struct entry *entry, struct inode *inode);

/// Makes an empty file.
struct inode *inode_make(struct disk *disk);
void inode_write(struct inode *inode, const void *bytes, int64_t count, int64_t offset);
void inode_truncate(struct inode *inode, int64_t size);
/// Drops the changes that are not durable, or makes them durable.
void inode_settle(struct inode *inode, bool is_durable);
/// Makes the meanings of all names durable.
void disk_sync_names(struct disk *disk);
/// Forgets all files and switches on.
void disk_forget(struct disk *disk);
/// Switches on.
void disk_revive(struct disk *disk);

/// Growing memory, or the end of the test.
void *faulty_allocate(void *old, size_t count);

/// A content with its own length.
struct content {
    uint8_t *bytes;
    int64_t size;
    int64_t capacity;
};

void content_resize(struct content *content, int64_t size);
void content_write(struct content *content, const void *bytes, int64_t count, int64_t offset);

#endif
