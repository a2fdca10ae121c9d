/// A small file: its durable contents, and the versions written since without a sync.
struct VirtualFile {
    /// The contents that certainly survive; `nil` = there is no file.
    private(set) var durable: [UInt8]?
    /// Later versions, oldest first; after a power loss any of them may be found.
    private var versions: [(bytes: [UInt8], time: UInt64)] = []

    /// The number of versions that are kept apart; beyond it the oldest is treated as written back.
    private static let versionCountMax = 16
    /// The time after which a kernel has written back an unsynced version, in milliseconds.
    private static let writeBackMilliseconds: UInt64 = 35_000

    init(_ contents: [UInt8]? = nil) {
        durable = contents
    }

    /// The contents as a process reads them.
    var contents: [UInt8]? { versions.last?.bytes ?? durable }

    /// Writes in place without a sync.
    mutating func write(_ bytes: [UInt8], at now: UInt64) {
        versions.append((bytes, now))
        if versions.count > Self.versionCountMax { durable = versions.removeFirst().bytes }
    }

    /// Replaces the file, and waits until that is durable.
    mutating func replace(_ bytes: [UInt8]?) {
        durable = bytes
        versions = []
    }

    /// Loses the power: one of the versions is found, or a part of the newest.
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
