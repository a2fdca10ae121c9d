// System calls on files that the C library's module for Swift lacks, or exports as variadic functions alone.
#ifndef CFILES_H
#define CFILES_H

/// Opens a path beneath a folder: no `..`, no absolute path and no symbolic link leads out of it, nor is any link followed.
///
/// `openat2` with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS, of Linux 5.6.
///
/// - `folder`: the descriptor of the folder.
/// - `path`: the path, relative to it.
/// - `flags`, `mode`: as `open` takes them; O_CLOEXEC is added.
///
/// Returns a descriptor, or -1 with `errno`.
int kairan_open_beneath(int folder, const char *path, int flags, unsigned int mode);

#endif
