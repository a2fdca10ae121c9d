// A SQLite VFS that stands for a disk which loses power and fails on demand. For tests only.
//
// It is registered as SQLite's default and lets everything through, unchanged, except below the directories that
// were attached as disks. There it works on the real files, so that SQLite has its real locks and its real shared
// memory, and keeps beside them the state that a power failure would leave: of each file the content as of its last
// sync and the changes since; of each name the file that it durably means and its later meanings.
//
// It may treat unsynced writes as SQLite's documents allow a disk to: sectors arrive in any order, each on its
// own. A truncation is different, because no file system does it by sectors: it takes hold from the end of the file
// towards its new length, all of it, none, or as far as it got, and the rest is as it was. That is more
// than SQLite's own crash tests ask, where a truncation happens or does not; but btrfs and ZFS work that way with a
// file in many pieces. Zeros in the middle of a file that goes on behind them are no such state.
//
// All functions may be called from any thread.

#ifndef CFAULTYVFS_H
#define CFAULTYVFS_H

#include <stdbool.h>
#include <stdint.h>

/// Kinds of operations, to be joined with `|`.
enum {
    FAULTY_OPEN = 1,
    FAULTY_READ = 2,
    FAULTY_WRITE = 4,
    FAULTY_TRUNCATE = 8,
    FAULTY_SYNC = 16,
    FAULTY_DELETE = 32,
    /// The memory that connections share grows.
    FAULTY_SHARED = 64,
    /// Everything that changes files. Their common number, from 0, says when the power goes.
    FAULTY_CHANGES = FAULTY_OPEN | FAULTY_WRITE | FAULTY_TRUNCATE | FAULTY_SYNC | FAULTY_DELETE,
};

/// The effect of a failing operation.
enum {
    /// It reports an I/O error; a write has reached the file half.
    FAULTY_ERROR = 0,
    /// It reports that there is no space; a write has reached the file half.
    FAULTY_FULL = 1,
    /// A read gets half of the bytes that are there, and zeros.
    FAULTY_SHORT = 2,
    /// A sync reports an I/O error, and the data that it should have written is lost although it can still be read,
    /// as on Linux when writing back fails.
    FAULTY_FORGET = 3,
};

/// The part of the unsynced changes that is on the disk when the power is back.
enum {
    /// Nothing.
    FAULTY_LOSE = 0,
    /// Everything, also the operation that the power failure interrupted.
    FAULTY_KEEP = 1,
    /// Each sector in some state that it went through, each file with some length and each name with some meaning
    /// that it had; truncations wholly, half or not at all.
    FAULTY_SUBSET = 2,
    /// The same, and one write is torn, and bytes that were never written hold garbage.
    FAULTY_TEAR = 3,
};

/// Registers the VFS as SQLite's default; doing it again changes nothing.
/// Returns whether it is registered.
bool faulty_install(void);

/// Attaches the disk of a directory that exists.
/// Returns its handle, or -1 when there are too many or there is no such directory.
int32_t faulty_attach(const char *directory);

/// Forgets a disk. Its files stay as they are; none may be open.
void faulty_detach(int32_t disk);

/// How many operations of the kinds FAULTY_CHANGES there were since the disk was attached, was materialised or settled.
uint64_t faulty_change_count(int32_t disk);

/// The power goes at the operation of this number; all calls fail from then on. UINT64_MAX: never.
void faulty_cut_at(int32_t disk, uint64_t number);

/// The power goes now.
void faulty_kill(int32_t disk);

/// Whether the power is gone.
bool faulty_is_dead(int32_t disk);

/// How many files of the disk SQLite has open.
int32_t faulty_open_count(int32_t disk);

/// Notes at the moment of the power failure whether a path exists that SQLite does not know of.
void faulty_set_witness(int32_t disk, const char *path);

/// Whether the witness existed when the power went.
bool faulty_witness_existed(int32_t disk);

/// While it is on, a sync reports success and does nothing: the bug that the tests have to find.
void faulty_ignore_sync(int32_t disk, bool is_on);

/// While it is on, operations are neither counted nor made to fail.
void faulty_pause(int32_t disk, bool is_on);

/// Makes operations fail.
///
/// `kinds` selects them, `first` is the number of those kinds that succeed before, `count` the number that fail, `fault` the effect.
void faulty_fail(int32_t disk, uint32_t kinds, uint64_t first, uint64_t count, uint32_t fault);

/// No more failures.
void faulty_clear(int32_t disk);

/// How many operations have been made to fail since `faulty_fail`.
uint64_t faulty_failure_count(int32_t disk);

/// How many operations of the kinds of `faulty_fail` were met since.
uint64_t faulty_met_count(int32_t disk);

/// Writes the files as they may be found when the power is back.
///
/// Into another directory `target` the disk is only copied, and can be materialised again; with NULL it is the disk
/// itself that is switched on again, for which none of its files may be open.
/// Returns false when a file cannot be written or is open.
bool faulty_materialise(int32_t disk, uint64_t seed, uint32_t mode, const char *target);

/// Switches on again after the process was killed, not the power lost: everything that was written is there, and changes
/// that were not durable are still not. No file may be open; returns false when one is or cannot be written.
bool faulty_restart(int32_t disk);

/// Time passes: all that was written is durable. No file may be open.
void faulty_settle(int32_t disk);

#endif
