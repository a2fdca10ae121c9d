// The shim between SQLite and its own VFS for Unix.

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disk.h"

/// An open file on one of the disks. SQLite's own file follows it in memory.
struct file {
    sqlite3_file base;
    struct disk *disk;
    struct inode *inode;
};

static sqlite3_vfs *below;
static sqlite3_vfs shim;

static struct file *of(sqlite3_file *file) { return (struct file *)file; }
static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)(of(file) + 1); }

/// Decides about an operation on a file while the caller holds the lock.
static enum verdict decide(sqlite3_file *file, uint32_t kind) { return disk_decide(of(file)->disk, kind); }

/// Whether there is power, for operations that are neither counted nor made to fail.
static bool is_dead(sqlite3_file *file) {
    pthread_mutex_lock(&faulty_lock);
    bool result = of(file)->disk->is_dead;
    pthread_mutex_unlock(&faulty_lock);
    return result;
}

static int file_close(sqlite3_file *file) {
    int code = real(file)->pMethods->xClose(real(file));
    pthread_mutex_lock(&faulty_lock);
    of(file)->disk->open_count--;
    of(file)->inode->open_count--;
    pthread_mutex_unlock(&faulty_lock);
    return code;
}

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    pthread_mutex_lock(&faulty_lock);
    enum verdict verdict = decide(file, FAULTY_READ);
    bool is_short = of(file)->disk->fault == FAULTY_SHORT;
    pthread_mutex_unlock(&faulty_lock);
    if (verdict != GO_AHEAD && !(verdict == FAILING && is_short)) return SQLITE_IOERR_READ;
    int code = real(file)->pMethods->xRead(real(file), bytes, count, offset);
    if (verdict == FAILING && code == SQLITE_OK) {
        memset((uint8_t *)bytes + count / 2, 0, (size_t)(count - count / 2));
        return SQLITE_IOERR_SHORT_READ;
    }
    return code;
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    pthread_mutex_lock(&faulty_lock);
    int code = SQLITE_IOERR_WRITE;
    switch (decide(file, FAULTY_WRITE)) {
    case DEAD:
        break;
    case INTERRUPTED:
        inode_write(of(file)->inode, bytes, count, offset);
        break;
    case FAILING:
        if (of(file)->disk->fault == FAULTY_FULL) code = SQLITE_FULL;
        if (real(file)->pMethods->xWrite(real(file), bytes, count / 2, offset) == SQLITE_OK) {
            inode_write(of(file)->inode, bytes, count / 2, offset);
        }
        break;
    case GO_AHEAD:
        code = real(file)->pMethods->xWrite(real(file), bytes, count, offset);
        if (code == SQLITE_OK) inode_write(of(file)->inode, bytes, count, offset);
        break;
    }
    pthread_mutex_unlock(&faulty_lock);
    return code;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    pthread_mutex_lock(&faulty_lock);
    int code = SQLITE_IOERR_TRUNCATE;
    enum verdict verdict = decide(file, FAULTY_TRUNCATE);
    if (verdict == GO_AHEAD) code = real(file)->pMethods->xTruncate(real(file), size);
    if (verdict == INTERRUPTED || code == SQLITE_OK) inode_truncate(of(file)->inode, size);
    pthread_mutex_unlock(&faulty_lock);
    return code;
}

// The real file is not synced: the tests only need it to outlive the process.
static int file_sync(sqlite3_file *file, int flags) {
    (void)flags;
    pthread_mutex_lock(&faulty_lock);
    int code = SQLITE_IOERR_FSYNC;
    struct disk *disk = of(file)->disk;
    switch (decide(file, FAULTY_SYNC)) {
    case DEAD:
    case INTERRUPTED:
        break;
    case FAILING:
        if (disk->fault == FAULTY_FULL) code = SQLITE_FULL;
        if (disk->fault == FAULTY_FORGET) inode_settle(of(file)->inode, false);
        break;
    case GO_AHEAD:
        code = SQLITE_OK;
        if (disk->ignores_sync) break;
        inode_settle(of(file)->inode, true);
        if (of(file)->inode->syncs_names) disk_sync_names(disk);
        of(file)->inode->syncs_names = false;
        break;
    }
    pthread_mutex_unlock(&faulty_lock);
    return code;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    if (is_dead(file)) return SQLITE_IOERR_FSTAT;
    return real(file)->pMethods->xFileSize(real(file), size);
}

static int file_lock(sqlite3_file *file, int level) {
    if (is_dead(file)) return SQLITE_IOERR_LOCK;
    return real(file)->pMethods->xLock(real(file), level);
}

static int file_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }

static int file_check_reserved_lock(sqlite3_file *file, int *result) {
    if (is_dead(file)) return SQLITE_IOERR_CHECKRESERVEDLOCK;
    return real(file)->pMethods->xCheckReservedLock(real(file), result);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
    // The file below would allocate space behind the shim's back.
    if (operation == SQLITE_FCNTL_SIZE_HINT || operation == SQLITE_FCNTL_CHUNK_SIZE) return SQLITE_OK;
    return real(file)->pMethods->xFileControl(real(file), operation, argument);
}

static int file_sector_size(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }

static int file_characteristics(sqlite3_file *file) {
    return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

static int file_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **address) {
    pthread_mutex_lock(&faulty_lock);
    bool dead = of(file)->disk->is_dead;
    enum verdict verdict = extend != 0 ? decide(file, FAULTY_SHARED) : dead ? DEAD : GO_AHEAD;
    pthread_mutex_unlock(&faulty_lock);
    if (verdict == FAILING) return SQLITE_IOERR_SHMSIZE;
    if (verdict != GO_AHEAD) return SQLITE_IOERR_SHMMAP;
    return real(file)->pMethods->xShmMap(real(file), region, size, extend, address);
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    if ((flags & SQLITE_SHM_UNLOCK) == 0 && is_dead(file)) return SQLITE_IOERR_SHMLOCK;
    return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }

static int file_shm_unmap(sqlite3_file *file, int deletes) {
    return real(file)->pMethods->xShmUnmap(real(file), is_dead(file) ? 0 : deletes);
}

// Version 2: with shared memory, without mapped files, since the shim would not see writes to them.
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

/// Reads a file that was there before its disk was attached; all of it counts as durable.
static struct inode *load(struct disk *disk, const char *path) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return NULL;
    struct inode *inode = inode_make(disk);
    struct stat status;
    if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
        inode->image = faulty_allocate(NULL, (size_t)status.st_size);
        inode->capacity = status.st_size;
        while (inode->size < status.st_size) {
            ssize_t count =
                pread(descriptor, inode->image + inode->size, (size_t)(status.st_size - inode->size), inode->size);
            if (count <= 0) break;
            inode->size += count;
        }
    }
    close(descriptor);
    return inode;
}

static struct inode *create(struct disk *disk, struct entry *entry, int flags) {
    struct inode *inode = inode_make(disk);
    int journals = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL;
    inode->syncs_names = (flags & journals) != 0;
    entry_set(entry, inode);
    return inode;
}

/// Opens a file of a disk; the caller holds the lock.
static int open_tracked(struct disk *disk, const char *path, sqlite3_file *file, int flags, int *outFlags) {
    enum verdict verdict = disk_decide(disk, FAULTY_OPEN);
    if (verdict == DEAD || verdict == FAILING) return SQLITE_CANTOPEN;
    struct entry *entry = disk_entry(disk, path, true);
    struct inode *inode = entry_current(entry);
    // Before SQLite has it open: closing any descriptor of a file drops the locks that the process has on it.
    if (inode == NULL && access(path, F_OK) == 0) inode = entry->durable = load(disk, path);
    if (verdict == INTERRUPTED) {
        if (inode == NULL && (flags & SQLITE_OPEN_CREATE) != 0) create(disk, entry, flags);
        return SQLITE_CANTOPEN;
    }
    int code = below->xOpen(below, path, real(file), flags, outFlags);
    if (code != SQLITE_OK) {
        if (real(file)->pMethods != NULL) real(file)->pMethods->xClose(real(file));
        return code;
    }
    if (inode == NULL) inode = create(disk, entry, flags);
    inode->open_count++;
    disk->open_count++;
    of(file)->disk = disk;
    of(file)->inode = inode;
    file->pMethods = &methods;
    return SQLITE_OK;
}

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *outFlags) {
    (void)vfs;
    pthread_mutex_lock(&faulty_lock);
    struct disk *disk = disk_of(path);
    int code = SQLITE_OK;
    if (disk != NULL) {
        file->pMethods = NULL;
        code = open_tracked(disk, path, file, flags, outFlags);
    }
    pthread_mutex_unlock(&faulty_lock);
    return disk != NULL ? code : below->xOpen(below, path, file, flags, outFlags);
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int syncsDirectory) {
    (void)vfs;
    pthread_mutex_lock(&faulty_lock);
    struct disk *disk = disk_of(path);
    int code = SQLITE_IOERR_DELETE;
    if (disk != NULL) {
        enum verdict verdict = disk_decide(disk, FAULTY_DELETE);
        struct entry *entry = disk_entry(disk, path, true);
        if (entry_current(entry) == NULL) entry->durable = load(disk, path);
        if (verdict == GO_AHEAD) code = below->xDelete(below, path, 0);
        if (verdict == INTERRUPTED || code == SQLITE_OK) entry_set(entry, NULL);
        if (code == SQLITE_OK && syncsDirectory != 0 && !disk->ignores_sync) disk_sync_names(disk);
    }
    pthread_mutex_unlock(&faulty_lock);
    return disk != NULL ? code : below->xDelete(below, path, syncsDirectory);
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    (void)vfs;
    pthread_mutex_lock(&faulty_lock);
    struct disk *disk = disk_of(path);
    bool dead = disk != NULL && disk->is_dead && !disk->is_paused;
    pthread_mutex_unlock(&faulty_lock);
    return dead ? SQLITE_IOERR_ACCESS : below->xAccess(below, path, flags, result);
}

static void install(void) {
    below = sqlite3_vfs_find(NULL);
    if (below == NULL) return;
    shim = *below;
    shim.zName = "kairan-faulty";
    shim.pNext = NULL;
    shim.szOsFile = (int)sizeof(struct file) + below->szOsFile;
    shim.xOpen = vfs_open;
    shim.xDelete = vfs_delete;
    shim.xAccess = vfs_access;
    if (sqlite3_vfs_register(&shim, 1) != SQLITE_OK) below = NULL;
}

bool faulty_install(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    return below != NULL;
}
