// The content of the disk when the power is back.

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disk.h"

/// SplitMix64, so that a seed gives the same disk everywhere.
static uint64_t next(uint64_t *state) {
    *state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t mixed = *state;
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
    return mixed ^ (mixed >> 31);
}

/// A number below a bound that is not 0.
static uint64_t below(uint64_t *state, uint64_t bound) { return next(state) % bound; }

static int64_t minimum(int64_t one, int64_t other) { return one < other ? one : other; }
static int64_t maximum(int64_t one, int64_t other) { return one > other ? one : other; }

static void fill(struct content *content, int64_t from, int64_t to, uint64_t *state) {
    for (int64_t index = from; index < to; index++) content->bytes[index] = (uint8_t)next(state);
}

/// The part of a change that lies in a sector, applied.
static void apply_in(struct content *content, const struct change *change, int64_t from, int64_t to) {
    if (change->is_truncation) {
        int64_t start = maximum(from, change->reach);
        int64_t end = minimum(to, content->size);
        if (start < end) memset(content->bytes + start, 0, (size_t)(end - start));
        return;
    }
    int64_t start = maximum(from, change->offset);
    int64_t end = minimum(to, change->offset + change->count);
    if (start < end) memcpy(content->bytes + start, change->bytes + (start - change->offset), (size_t)(end - start));
}

static bool touches(const struct change *change, int64_t from, int64_t to) {
    if (change->is_truncation) return to > change->reach;
    return from < change->offset + change->count && change->offset < to;
}

/// One write is there half, from the front or from the back, or a sector of it is nonsense.
static void tear(struct content *content, const struct inode *inode, int64_t sector, uint64_t *state) {
    uint64_t count = 0;
    for (const struct change *change = inode->first; change != NULL; change = change->next) {
        count += !change->is_truncation && change->count > 1;
    }
    if (count == 0) return;
    // The newest are the likeliest to be under way.
    uint64_t wanted = below(state, 2) == 0 ? count - 1 - below(state, minimum(4, (int64_t)count)) : below(state, count);
    const struct change *torn = inode->first;
    for (; torn != NULL; torn = torn->next) {
        if (!torn->is_truncation && torn->count > 1 && wanted-- == 0) break;
    }
    if (torn == NULL) return;
    int64_t middle = torn->offset + 1 + (int64_t)below(state, (uint64_t)torn->count - 1);
    switch (below(state, 3)) {
    case 0:
        apply_in(content, torn, torn->offset, middle);
        break;
    case 1:
        apply_in(content, torn, middle, INT64_MAX);
        break;
    default:
        // Nothing outside of the write is touched: SQLite trusts disks that far (SQLITE_IOCAP_POWERSAFE_OVERWRITE).
        fill(content, middle, minimum(middle + sector, torn->offset + torn->count), state);
    }
}

/// Draws how far each truncation got: not at all, to its end, or to somewhere between.
///
/// Not sector by sector: a file is shortened from its end, and nothing takes the middle out of one that keeps its
/// length. But it need not be shortened at once: btrfs and ZFS free a fragmented file in several transactions.
static void draw_reaches(const struct inode *inode, uint64_t *state) {
    int64_t size = inode->size;
    for (struct change *change = inode->first; change != NULL; change = change->next) {
        if (!change->is_truncation) {
            size = maximum(size, change->offset + change->count);
            continue;
        }
        uint64_t choice = below(state, 3);
        change->reach = choice == 0 ? INT64_MAX : change->offset;
        if (choice == 2 && change->offset < size) {
            change->reach += 1 + (int64_t)below(state, (uint64_t)(size - change->offset));
        }
        size = change->offset;
    }
}

/// One of the lengths that the file had.
static int64_t some_size(const struct inode *inode, uint64_t *state) {
    int64_t size = inode->size;
    int64_t chosen = size;
    uint64_t count = 1;
    bool takes_last = below(state, 3) == 0;
    for (const struct change *change = inode->first; change != NULL; change = change->next) {
        if (change->is_truncation) {
            // With a truncation that got half-way the file has the old length and zeros, or the length in between.
            if (change->reach < size && below(state, 2) == 0) chosen = change->reach;
            size = change->offset;
        } else {
            size = maximum(size, change->offset + change->count);
        }
        count++;
        if (takes_last || below(state, count) == 0) chosen = size;
    }
    return chosen;
}

/// A random state of a file between durable and written.
static void scatter(struct content *content, const struct inode *inode, bool is_torn, uint64_t *state) {
    int64_t sector = below(state, 2) == 0 ? 512 : 4096;
    draw_reaches(inode, state);
    int64_t size = inode->size;
    for (const struct change *change = inode->first; change != NULL; change = change->next) {
        if (!change->is_truncation) size = maximum(size, change->offset + change->count);
    }
    content_resize(content, size);
    if (is_torn && below(state, 2) == 0) fill(content, inode->size, size, state);
    bool by_write = below(state, 4) == 0;
    if (by_write) {
        for (const struct change *change = inode->first; change != NULL; change = change->next) {
            if (change->is_truncation || below(state, 2) == 0) apply_in(content, change, 0, INT64_MAX);
        }
    }
    // Sectors are written back on their own, each as it was at some moment. Most disks lose little or a lot.
    uint64_t eagerness = below(state, 5);
    for (int64_t from = 0; from < size && !by_write; from += sector) {
        uint64_t count = 0;
        for (const struct change *change = inode->first; change != NULL; change = change->next) {
            count += !change->is_truncation && touches(change, from, from + sector);
        }
        uint64_t kept = below(state, count + 1);
        if (eagerness == 0 && below(state, 8) != 0) kept = 0;
        if (eagerness == 1 && below(state, 8) != 0) kept = count;
        for (const struct change *change = inode->first; change != NULL; change = change->next) {
            if (!touches(change, from, from + sector)) continue;
            if (!change->is_truncation) {
                if (kept == 0) continue;
                kept--;
            }
            apply_in(content, change, from, from + sector);
        }
    }
    if (is_torn) tear(content, inode, sector, state);
    content_resize(content, some_size(inode, state));
}

/// The content of a file when the power is back.
static struct content found(const struct inode *inode, uint32_t mode, uint64_t *state) {
    struct content content = {0};
    content_resize(&content, inode->size);
    if (inode->size > 0) memcpy(content.bytes, inode->image, (size_t)inode->size);
    if (mode == FAULTY_LOSE || inode->first == NULL) return content;
    if (mode != FAULTY_KEEP) {
        scatter(&content, inode, mode == FAULTY_TEAR, state);
        return content;
    }
    for (const struct change *change = inode->first; change != NULL; change = change->next) {
        if (change->is_truncation) content_resize(&content, change->offset);
        else content_write(&content, change->bytes, change->count, change->offset);
    }
    return content;
}

/// The file that a name means when the power is back.
static const struct inode *meaning(const struct entry *entry, uint32_t mode, uint64_t *state) {
    if (mode == FAULTY_LOSE || entry->later_count == 0) return entry->durable;
    if (mode == FAULTY_KEEP) return entry_current(entry);
    uint64_t index = below(state, entry->later_count + 1);
    return index == 0 ? entry->durable : entry->later[index - 1];
}

static bool store(const char *path, const struct content *content) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (descriptor < 0) return false;
    bool is_done = true;
    for (int64_t done = 0; done < content->size && is_done;) {
        ssize_t count = write(descriptor, content->bytes + done, (size_t)(content->size - done));
        is_done = count > 0;
        done += count;
    }
    close(descriptor);
    return is_done;
}

/// The shared memory is a file as well, with no guarantee about its content.
static void spoil_shared_memory(const char *wal, uint32_t mode, uint64_t *state) {
    size_t length = strlen(wal);
    if (length < 4 || strcmp(wal + length - 4, "-wal") != 0) return;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s-shm", (int)(length - 4), wal);
    unlink(path);
    if (mode != FAULTY_TEAR || below(state, 2) == 0) return;
    struct content content = {0};
    content_resize(&content, 32768);
    fill(&content, 0, content.size, state);
    store(path, &content);
    free(content.bytes);
}

/// Writes the files in the state that a mode selects.
static bool write_files(struct disk *disk, uint64_t seed, uint32_t mode, const char *root) {
    for (struct entry *entry = disk->entries; entry != NULL; entry = entry->next) {
        // Each file has its own sequence, so that one that grows does not change the state of the others.
        uint64_t state = seed;
        for (const char *character = entry->path + disk->root_length; *character != 0; character++) {
            state = state * 31 + (uint8_t)*character;
        }
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s%s", root, entry->path + disk->root_length);
        spoil_shared_memory(path, mode, &state);
        const struct inode *inode = meaning(entry, mode, &state);
        if (inode == NULL) {
            unlink(path);
            continue;
        }
        struct content content = found(inode, mode, &state);
        bool is_done = store(path, &content);
        free(content.bytes);
        if (!is_done) return false;
    }
    return true;
}

bool faulty_materialise(int32_t handle, uint64_t seed, uint32_t mode, const char *target) {
    pthread_mutex_lock(&faulty_lock);
    struct disk *disk = disk_at(handle);
    bool is_done = (target != NULL || disk->open_count == 0)
        && write_files(disk, seed, mode, target != NULL ? target : disk->root);
    if (target == NULL && is_done) disk_forget(disk);
    pthread_mutex_unlock(&faulty_lock);
    return is_done;
}

bool faulty_restart(int32_t handle) {
    pthread_mutex_lock(&faulty_lock);
    struct disk *disk = disk_at(handle);
    bool is_done = disk->open_count == 0 && write_files(disk, 0, FAULTY_KEEP, disk->root);
    if (is_done) disk_revive(disk);
    pthread_mutex_unlock(&faulty_lock);
    return is_done;
}
