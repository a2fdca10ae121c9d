/// The bounds of a program that looks into a file of unknown origin.
///
/// It sees the programs and libraries of the system, read-only, and of the user's files only those that it was given as open descriptors. It has no
/// network, no process but its own, an empty environment, and bounded memory, time and output. It ends with the process that began it.
package enum Sandbox {
    /// The address space of a program.
    package static let memoryByteCountMax = 1 << 30
    /// The time of the processor that it takes.
    package static let processorSeconds = 30
    /// The time after which it is ended.
    package static let seconds = 60
    /// The files that it makes, all of which are in memory.
    package static let temporaryByteCountMax = 64 << 20

    /// The name by which a program opens an inherited descriptor, with the end of the file's own name: programs recognise some types by it.
    /// - Parameters:
    ///   - position: The place among the descriptors, from 0.
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

    /// The number of the first descriptor behind the standard ones.
    package static let firstDescriptor = 3

    /// The arguments that run a program in the sandbox.
    /// - Parameters:
    ///   - command: The program and its arguments.
    ///   - names: The names of the descriptors that it inherits, from ``firstDescriptor`` on.
    /// - Returns: The arguments, the sandbox's own program as the first.
    package static func arguments(_ command: [String], names: [String] = []) -> [String] {
        let links = names.enumerated().flatMap { position, name in
            ["--symlink", "/proc/self/fd/\(firstDescriptor + position)", name]
        }
        return [
            MediaTool.bwrap.path,
            "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session",
            "--clearenv", "--setenv", "PATH", "/usr/bin", "--setenv", "LANG", "C.UTF-8", "--setenv", "TZ", "UTC",
            "--setenv", "VIPS_BLOCK_UNTRUSTED", "1", "--setenv", "VIPS_CONCURRENCY", "1",
            "--ro-bind", "/usr", "/usr",
            "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
            "--ro-bind-try", "/etc/alternatives", "/etc/alternatives",
            "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache",
            "--proc", "/proc", "--dev", "/dev", "--size", "\(temporaryByteCountMax)", "--tmpfs", "/tmp",
        ] + links + [
            "--chdir", "/", "--",
            "/usr/bin/prlimit", "--as=\(memoryByteCountMax)", "--cpu=\(processorSeconds)", "--core=0", "--",
        ] + command
    }

    /// The command that reads metadata.
    /// - Parameter names: The files; `-` for the standard input.
    /// - Returns: The program and its arguments.
    package static func metadataCommand(_ names: [String]) -> [String] {
        // No configuration of the user's, numbers as numbers, and times of videos with their zone, which is UTC.
        [MediaTool.exiftool.path, "-config", "", "-j", "-n", "-q", "-q", "-fast", "-api", "QuickTimeUTC=1"]
            + ExifToolAnswer.tags.map { "-" + $0 } + names
    }
}
