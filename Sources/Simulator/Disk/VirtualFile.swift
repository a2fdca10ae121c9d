/// A small file: what is on the disk, and what was written to it since without waiting for the disk.
struct VirtualFile {
    /// What survives for certain; `nil` = there is no file.
    private(set) var durable: [UInt8]?
    /// What was written later, oldest first; after a power loss any of it may be what is found.
    private var versions: [(bytes: [UInt8], time: UInt64)] = []

    /// Versions that are kept apart; beyond that the oldest counts as written back.
    private static let versionCountMax = 16
    /// After so long a kernel has written back what nobody waited for, in milliseconds.
    private static let writeBackMilliseconds: UInt64 = 35_000

    init(_ contents: [UInt8]? = nil) {
        durable = contents
    }

    /// What a process reads.
    var contents: [UInt8]? { versions.last?.bytes ?? durable }

    /// Writes in place without waiting for the disk.
    mutating func write(_ bytes: [UInt8], at now: UInt64) {
        versions.append((bytes, now))
        if versions.count > Self.versionCountMax { durable = versions.removeFirst().bytes }
    }

    /// Replaces the file, and waits until that is durable.
    mutating func replace(_ bytes: [UInt8]?) {
        durable = bytes
        versions = []
    }

    /// The power is lost: one of the versions is found, or a part of the newest.
    mutating func lose(at now: UInt64, using random: inout SeededGenerator) {
        while let oldest = versions.first, oldest.time + Self.writeBackMilliseconds <= now {
            durable = versions.removeFirst().bytes
        }
        guard let newest = versions.last?.bytes else { return }
        let choice = random.index(below: versions.count + 1)
        if random.chance(0.05) {
            durable = Array(newest.prefix(random.index(below: newest.count + 1)))
        } else if choice > 0 {
            durable = versions[choice - 1].bytes
        }
        versions = []
    }
}
