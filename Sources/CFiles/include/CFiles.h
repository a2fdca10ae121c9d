// System calls on files that the C library's module for Swift lacks, or exports as variadic functions alone.
#ifndef CFILES_H
#define CFILES_H

#include <spawn.h>

/// Opens a path beneath a folder: no `..`, no absolute path and no symbolic link leads out of it, nor is any link followed.
///
/// `openat2` with RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS and RESOLVE_NO_MAGICLINKS, of Linux 5.6.
///
/// - `folder`: the descriptor of the folder.
/// - `path`: the path, relative to it.
/// - `flags`, `mode`: as `open` takes them; O_CLOEXEC is added.
///
/// Returns a descriptor, or -1 with `errno`: EAGAIN where things are renamed on the machine all the time, for more than a second.
int kairan_open_beneath(int folder, const char *path, int flags, unsigned int mode);

/// Has a program that is started close its descriptors from one on, whichever of them this process has.
///
/// `posix_spawn_file_actions_addclosefrom_np` of glibc 2.34. Returns 0, or an error number.
int kairan_close_from(posix_spawn_file_actions_t *actions, int first);

/// Renames a file to a name that nothing has yet.
///
/// `renameat2` with RENAME_NOREPLACE. Returns 0, or -1 with `errno`: EEXIST if the name is in use, EINVAL where the file system cannot do this.
int kairan_rename_to_new(int from_folder, const char *from, int to_folder, const char *to);

/// Exchanges the names of two files in one step.
///
/// `renameat2` with RENAME_EXCHANGE. Returns 0, or -1 with `errno`: EINVAL where the file system cannot do this.
int kairan_exchange(int first_folder, const char *first, int second_folder, const char *second);

#endif
