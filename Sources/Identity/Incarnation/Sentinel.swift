import Sodium
package import Wire

/// A note outside of the store, and outside of any backup, by which a rolled-back store is recognised.
///
/// A restored store does not know that it is old: it would go on counting where it had been and give numbers to new
/// operations that others already know for different ones. The note keeps the store's last commit number. It is written
/// *after* each commit and without waiting for the disk, so it may lag behind the store and never leads, unless the
/// store was rolled back.
///
/// It also names the newest entry of the account log that the device had: a log without it is an older one.
///
/// A text of a few lines, so that a person who looks for the reason of a new incarnation can read it:
///
///     kairan-sentinel 1
///     incarnation 000102030405060708090a0b0c0d0e0f
///     commit 1842
///     machine 3b9aca00…
///     account <account> <entry>
///     check 5f1d0c3a9b7e2486
///
/// The machine is any bytes that name the computer, in hexadecimal; the check is eight bytes of a hash of the lines
/// before it and finds a file that a crash left half written. The line `account` is left out where no entry is known.
package struct Sentinel: Hashable, Sendable {
    /// The present incarnation of the store.
    package let incarnation: Incarnation
    /// The number of the last commit.
    package let commitNumber: UInt64
    /// Names the computer; at most 64 bytes.
    package let machine: [UInt8]

    /// The newest entry of the account log; `nil` = not noted.
    package let newestEntry: NewestEntry?

    /// The entry of an account log that a device had taken in last.
    package struct NewestEntry: Hashable, Sendable {
        /// The account.
        package let account: AccountID
        /// The entry's hash.
        package let entry: Hash

        /// Names an entry.
        package init(account: AccountID, entry: Hash) {
            self.account = account
            self.entry = entry
        }
    }

    /// The maximum number of bytes that name a computer.
    package static let machineByteCountMax = 64

    private static let magic = "kairan-sentinel"
    private static let version = "1"
    private static let byteCountMax = 512

    /// Records the incarnation of a store and its last commit.
    /// - Parameters:
    ///   - incarnation: The present incarnation of the store.
    ///   - commitNumber: The number of the last commit.
    ///   - machine: Names the computer, such as the bytes of the operating system's machine id; at most 64 bytes.
    ///   - newestEntry: The newest entry of the account log.
    package init(
        incarnation: Incarnation,
        commitNumber: UInt64,
        machine: [UInt8],
        newestEntry: NewestEntry? = nil
    ) {
        precondition(machine.count <= Self.machineByteCountMax, "a machine's name has at most 64 bytes")
        self.incarnation = incarnation
        self.commitNumber = commitNumber
        self.machine = machine
        self.newestEntry = newestEntry
    }

    /// The file's contents.
    package var encoded: [UInt8] {
        let lines = """
            \(Self.magic) \(Self.version)
            incarnation \(incarnation.text)
            commit \(commitNumber)
            machine \(Hexadecimal.encode(machine))

            """ + (newestEntry.map { "account \($0.account.text) \($0.entry.text)\n" } ?? "")
        return Array((lines + "check \(Self.check(of: lines))\n").utf8)
    }

    /// Reads a file's contents.
    /// - Parameter bytes: The contents.
    /// - Throws: ``SentinelError``.
    package init(decoding bytes: [UInt8]) throws(SentinelError) {
        guard bytes.count <= Self.byteCountMax else { throw .damaged }
        let lines = String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init) }
        guard let first = lines.first, first.count == 2, first[0] == Self.magic else { throw .damaged }
        guard first[1] == Self.version else { throw .laterVersion }
        let labels = ["incarnation", "commit", "machine"] + (lines.count == 7 ? ["account"] : []) + ["check"]
        guard lines.count == labels.count + 2, lines[1...labels.count].map(\.first) == labels,
            lines[1...labels.count].allSatisfy({ $0.count == 2 }),
            let incarnation = Incarnation(text: lines[1][1]),
            let commitNumber = UInt64(lines[2][1]),
            let machine = Hexadecimal.decode(lines[3][1]), machine.count <= Self.machineByteCountMax
        else { throw .damaged }
        var newestEntry: NewestEntry?
        if lines.count == 7 {
            let names = lines[4][1].split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            guard names.count == 2, let account = AccountID(text: names[0]), let entry = Hash(text: names[1]) else {
                throw .damaged
            }
            newestEntry = NewestEntry(account: account, entry: entry)
        }
        self.init(
            incarnation: incarnation,
            commitNumber: commitNumber,
            machine: machine,
            newestEntry: newestEntry
        )
        // Comparing the whole covers the check, and other spellings of the same values as well.
        guard encoded == bytes else { throw .damaged }
    }

    private static func check(of lines: String) -> String {
        Hexadecimal.encode(Blake2b.digest32(.sentinelTag, Array(lines.utf8)).prefix(8))
    }
}

extension Sentinel.NewestEntry {
    /// The newest effective entry of a log.
    ///
    /// Of the effective entries with the longest way from the genesis the one with the greatest hash. Ineffective
    /// ones may be dropped from the log.
    ///
    /// An entry that this device makes names all heads, so it is the newest one when it is made: an earlier log lacks it.
    /// Concurrent entries of other devices come again from these devices.
    /// - Parameter log: The log.
    /// - Complexity: O(n).
    package init?(_ log: AccountLog) {
        let newest = zip(log.nodes, log.counting).lazy.filter(\.1).map(\.0).max {
            ($0.generation, $0.hash) < ($1.generation, $1.hash)
        }
        guard let newest else { return nil }
        self.init(account: log.account, entry: newest.hash)
    }

    /// Whether a log lacks the entry, and so is older than the one that the device had.
    /// - Parameter log: The log as it was found.
    /// - Returns: Whether it lacks the entry; false for the log of another account.
    package func isMissing(in log: AccountLog) -> Bool {
        log.account == account && !log.contains(entry)
    }
}
