import Glibc

/// The descriptors of this process; nil where the kernel does not tell.
package struct DescriptorReading: Sendable {
    /// Descriptors that are open.
    package let count: UInt64?
    /// Descriptors that may be.
    package let limit: UInt64?

    /// Reads.
    package init() {
        count = Self.openCount()
        var bounds = rlimit()
        limit = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &bounds) == 0 ? UInt64(bounds.rlim_cur) : nil
    }

    private static func openCount() -> UInt64? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count: UInt64 = 0
        while readdir(folder) != nil { count += 1 }
        // Itself, the folder above, and the descriptor by which it is read.
        return count - min(count, 3)
    }
}
