/// The bounds of a program that looks into a file of unknown origin.
///
/// It sees the programs and libraries of the system, read-only, and of the user's files only those that it was given, read-only too. It has no
/// network, no process but its own, an empty environment, and bounded memory, time and output. It ends with the process that began it.
///
/// A file is a read-only mount in it, and not an open descriptor: by way of `/proc/self/fd` a program opens the file of a descriptor anew,
/// for writing as well, whatever the descriptor is for, and it changes modes and times by any descriptor.
package enum Sandbox {
    /// A file that a program in the sandbox reads.
    package struct File: Sendable, Hashable {
        /// The path outside of the sandbox.
        package var path: String
        /// The device and the number of the file that is meant: `stat --format=%d:%i` prints them.
        package var identity: String
        /// The path in the sandbox.
        package var name: String

        /// Describes it.
        /// - Parameters: as the properties of the same names.
        package init(path: String, identity: String, name: String) {
            (self.path, self.identity, self.name) = (path, identity, name)
        }
    }

    /// The address space of a program.
    package static let memoryByteCountMax = 1 << 30
    /// The time of the processor that it takes.
    package static let processorSeconds = 30
    /// The time after which it is ended.
    package static let seconds = 60
    /// The files that it makes, all of which are in memory.
    package static let temporaryByteCountMax = 64 << 20

    /// The name by which a program opens a file, with the end of the file's own name, by which some types are distinguished.
    /// - Parameters:
    ///   - position: The place among the files, from 0.
    ///   - end: The end of the file's name; left out where it is anything but a few letters and digits.
    /// - Returns: The path in the sandbox.
    package static func name(_ position: Int, end: String?) -> String {
        guard let end, (1...10).contains(end.utf8.count), end.utf8.allSatisfy(isPlain) else { return "/in/\(position)" }
        return "/in/\(position).\(end)"
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }

    /// Runs a command if the mounted files are those that were meant; else it ends with 126.
    ///
    /// Mounts go by paths, where another file may be by now: somebody could have put a link to a secret there.
    private static let check = """
        [ "$(/usr/bin/stat --format=%d:%i -- $1)" = "$2" ] || exit 126; shift 2; exec "$@"
        """

    /// The arguments that run a program in the sandbox.
    /// - Parameters:
    ///   - command: The program and its arguments.
    ///   - files: The files that it reads; their names are those of ``name(_:end:)``.
    /// - Returns: The arguments, the sandbox's own program as the first.
    package static func arguments(_ command: [String], files: [File] = []) -> [String] {
        let mounts = files.flatMap { ["--ro-bind", $0.path, $0.name] }
        let names = files.map(\.name).joined(separator: " ")
        let identities = files.map(\.identity).joined(separator: "\n")
        var arguments = [
            MediaTool.bwrap.path,
            "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session",
            "--clearenv", "--setenv", "PATH", "/usr/bin", "--setenv", "LANG", "C.UTF-8", "--setenv", "TZ", "UTC",
            "--setenv", "VIPS_BLOCK_UNTRUSTED", "1", "--setenv", "VIPS_CONCURRENCY", "1",
            "--ro-bind", "/usr", "/usr",
            "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
            "--ro-bind-try", "/etc/alternatives", "/etc/alternatives",
            "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache",
            "--proc", "/proc", "--dev", "/dev", "--size", "\(temporaryByteCountMax)", "--tmpfs", "/tmp",
        ]
        arguments += mounts
        arguments += ["--chdir", "/", "--"]
        if !files.isEmpty { arguments += ["/usr/bin/sh", "-c", check, "sh", names, identities] }
        arguments += ["/usr/bin/prlimit", "--as=\(memoryByteCountMax)", "--cpu=\(processorSeconds)", "--core=0", "--"]
        return arguments + command
    }

    /// The command that reads metadata.
    /// - Parameter names: The names of the files in the sandbox.
    /// - Returns: The program and its arguments.
    package static func metadataCommand(_ names: [String]) -> [String] {
        // No configuration of the user's, numbers as numbers, and times of videos with their zone, which is UTC.
        [MediaTool.exiftool.path, "-config", "", "-j", "-n", "-q", "-q", "-fast", "-api", "QuickTimeUTC=1"]
            + ExifToolAnswer.tags.map { "-" + $0 } + names
    }
}
