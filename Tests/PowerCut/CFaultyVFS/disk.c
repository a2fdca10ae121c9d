// The model of the disk: durable and lost changes, and failing operations.

#include "disk.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DISK_COUNT_MAX = 256 };

pthread_mutex_t faulty_lock = PTHREAD_MUTEX_INITIALIZER;
static struct disk disks[DISK_COUNT_MAX];

void *faulty_allocate(void *old, size_t count) {
    void *new = realloc(old, count > 0 ? count : 1);
    if (new == NULL) abort();
    return new;
}

void content_resize(struct content *content, int64_t size) {
    if (size > content->capacity) {
        content->capacity = size * 2;
        content->bytes = faulty_allocate(content->bytes, (size_t)content->capacity);
    }
    if (size > content->size) memset(content->bytes + content->size, 0, (size_t)(size - content->size));
    content->size = size;
}

void content_write(struct content *content, const void *bytes, int64_t count, int64_t offset) {
    if (offset + count > content->size) content_resize(content, offset + count);
    memcpy(content->bytes + offset, bytes, (size_t)count);
}

// MARK: Files

struct inode *inode_make(struct disk *disk) {
    struct inode *inode = faulty_allocate(NULL, sizeof *inode);
    memset(inode, 0, sizeof *inode);
    inode->next = disk->inodes;
    disk->inodes = inode;
    return inode;
}

static void append(struct inode *inode, struct change change) {
    struct change *new = faulty_allocate(NULL, sizeof *new);
    *new = change;
    if (inode->last != NULL) inode->last->next = new;
    else inode->first = new;
    inode->last = new;
}

void inode_write(struct inode *inode, const void *bytes, int64_t count, int64_t offset) {
    uint8_t *copy = faulty_allocate(NULL, (size_t)count);
    memcpy(copy, bytes, (size_t)count);
    append(inode, (struct change){.offset = offset, .count = count, .bytes = copy});
}

void inode_truncate(struct inode *inode, int64_t size) {
    append(inode, (struct change){.is_truncation = true, .offset = size});
}

void inode_settle(struct inode *inode, bool is_durable) {
    struct content image = {inode->image, inode->size, inode->capacity};
    for (struct change *change = inode->first; change != NULL;) {
        struct change *next = change->next;
        if (is_durable && change->is_truncation) content_resize(&image, change->offset);
        else if (is_durable) content_write(&image, change->bytes, change->count, change->offset);
        free(change->bytes);
        free(change);
        change = next;
    }
    inode->first = inode->last = NULL;
    inode->image = image.bytes;
    inode->size = image.size;
    inode->capacity = image.capacity;
}

// MARK: Names

struct entry *disk_entry(struct disk *disk, const char *path, bool is_made) {
    for (struct entry *entry = disk->entries; entry != NULL; entry = entry->next) {
        if (strcmp(entry->path, path) == 0) return entry;
    }
    if (!is_made) return NULL;
    struct entry *entry = faulty_allocate(NULL, sizeof *entry);
    memset(entry, 0, sizeof *entry);
    entry->path = strdup(path);
    entry->next = disk->entries;
    disk->entries = entry;
    return entry;
}

struct inode *entry_current(const struct entry *entry) {
    return entry->later_count > 0 ? entry->later[entry->later_count - 1] : entry->durable;
}

void entry_set(struct entry *entry, struct inode *inode) {
    entry->later = faulty_allocate(entry->later, (entry->later_count + 1) * sizeof *entry->later);
    entry->later[entry->later_count++] = inode;
}

void disk_sync_names(struct disk *disk) {
    for (struct entry *entry = disk->entries; entry != NULL; entry = entry->next) {
        entry->durable = entry_current(entry);
        entry->later_count = 0;
    }
}

void disk_forget(struct disk *disk) {
    for (struct inode *inode = disk->inodes; inode != NULL;) {
        struct inode *next = inode->next;
        inode_settle(inode, false);
        free(inode->image);
        free(inode);
        inode = next;
    }
    for (struct entry *entry = disk->entries; entry != NULL;) {
        struct entry *next = entry->next;
        free(entry->path);
        free(entry->later);
        free(entry);
        entry = next;
    }
    disk->inodes = NULL;
    disk->entries = NULL;
    disk_revive(disk);
}

void disk_revive(struct disk *disk) {
    disk->change_count = 0;
    disk->cut_at = UINT64_MAX;
    disk->is_dead = false;
}

// MARK: Disks

struct disk *disk_of(const char *path) {
    if (path == NULL) return NULL;
    for (int index = 0; index < DISK_COUNT_MAX; index++) {
        struct disk *disk = &disks[index];
        if (disk->is_used && strncmp(path, disk->root, disk->root_length) == 0 && path[disk->root_length] == '/') {
            return disk;
        }
    }
    return NULL;
}

static void kill_disk(struct disk *disk) {
    if (disk->is_dead) return;
    disk->is_dead = true;
    disk->witness_existed = disk->witness != NULL && access(disk->witness, F_OK) == 0;
}

enum verdict disk_decide(struct disk *disk, uint32_t kind) {
    if (disk->is_paused) return GO_AHEAD;
    if (disk->is_dead) return DEAD;
    if ((kind & FAULTY_CHANGES) != 0 && disk->change_count++ == disk->cut_at) {
        kill_disk(disk);
        return INTERRUPTED;
    }
    if ((kind & disk->fault_kinds) == 0) return GO_AHEAD;
    uint64_t number = disk->met_count++;
    if (number < disk->fault_first || number - disk->fault_first >= disk->fault_count) return GO_AHEAD;
    disk->failure_count++;
    return FAILING;
}

int32_t faulty_attach(const char *directory) {
    char root[PATH_MAX];
    if (realpath(directory, root) == NULL) return -1;
    pthread_mutex_lock(&faulty_lock);
    int32_t found = -1;
    for (int32_t index = 0; index < DISK_COUNT_MAX && found < 0; index++) {
        if (disks[index].is_used) continue;
        struct disk *disk = &disks[index];
        memset(disk, 0, sizeof *disk);
        disk->is_used = true;
        disk->root = strdup(root);
        disk->root_length = strlen(root);
        disk->cut_at = UINT64_MAX;
        found = index;
    }
    pthread_mutex_unlock(&faulty_lock);
    return found;
}

void faulty_detach(int32_t handle) {
    pthread_mutex_lock(&faulty_lock);
    struct disk *disk = &disks[handle];
    if (disk->is_used && disk->open_count == 0) {
        disk_forget(disk);
        free(disk->root);
        free(disk->witness);
        disk->is_used = false;
    }
    pthread_mutex_unlock(&faulty_lock);
}

#define LOCKED(statement)                                                                                              \
    do {                                                                                                               \
        pthread_mutex_lock(&faulty_lock);                                                                              \
        struct disk *disk = &disks[handle];                                                                            \
        statement;                                                                                                     \
        pthread_mutex_unlock(&faulty_lock);                                                                            \
    } while (0)

uint64_t faulty_change_count(int32_t handle) {
    uint64_t count = 0;
    LOCKED(count = disk->change_count);
    return count;
}

void faulty_cut_at(int32_t handle, uint64_t number) { LOCKED(disk->cut_at = number); }

void faulty_kill(int32_t handle) { LOCKED(kill_disk(disk)); }

bool faulty_is_dead(int32_t handle) {
    bool is_dead = false;
    LOCKED(is_dead = disk->is_dead);
    return is_dead;
}

int32_t faulty_open_count(int32_t handle) {
    int32_t count = 0;
    LOCKED(count = disk->open_count);
    return count;
}

void faulty_set_witness(int32_t handle, const char *path) {
    LOCKED(free(disk->witness); disk->witness = strdup(path));
}

bool faulty_witness_existed(int32_t handle) {
    bool existed = false;
    LOCKED(existed = disk->witness_existed);
    return existed;
}

void faulty_ignore_sync(int32_t handle, bool is_on) { LOCKED(disk->ignores_sync = is_on); }

void faulty_pause(int32_t handle, bool is_on) { LOCKED(disk->is_paused = is_on); }

void faulty_fail(int32_t handle, uint32_t kinds, uint64_t first, uint64_t count, uint32_t fault) {
    LOCKED(disk->fault_kinds = kinds; disk->fault_first = first; disk->fault_count = count; disk->fault = fault;
           disk->met_count = 0; disk->failure_count = 0);
}

void faulty_clear(int32_t handle) { LOCKED(disk->fault_kinds = 0); }

uint64_t faulty_failure_count(int32_t handle) {
    uint64_t count = 0;
    LOCKED(count = disk->failure_count);
    return count;
}

uint64_t faulty_met_count(int32_t handle) {
    uint64_t count = 0;
    LOCKED(count = disk->met_count);
    return count;
}

void faulty_settle(int32_t handle) {
    LOCKED(if (disk->open_count == 0) disk_forget(disk));
}

struct disk *disk_at(int32_t handle) { return &disks[handle]; }
