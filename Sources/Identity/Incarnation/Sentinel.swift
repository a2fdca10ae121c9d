import Sodium
package import Wire

/// A note outside of the store, and outside of any backup, by which a store that was set back is recognised.
///
/// A restored store does not know that it is old: it would go on counting where it had been and give numbers to new
/// operations that others already know for different ones. The note keeps the store's last commit number. It is written
/// *after* each commit and without waiting for the disk, so it may lag behind the store and never leads, unless the
/// store was set back.
///
/// A text of five lines, so that a person who looks for the reason of a new incarnation can read it:
///
///     kairan-sentinel 1
///     incarnation 000102030405060708090a0b0c0d0e0f
///     commit 1842
///     machine 3b9aca00…
///     check 5f1d0c3a9b7e2486
///
/// The machine is any bytes that name the computer, in hexadecimal; the check is eight bytes of a hash of the lines
/// before it and finds what a crash left half written.
package struct Sentinel: Hashable, Sendable {
    /// The present life of the store.
    package let incarnation: Incarnation
    /// The number of the last commit.
    package let commitNumber: UInt64
    /// Names the computer; at most 64 bytes.
    package let machine: [UInt8]

    /// How many bytes name a computer at most.
    package static let machineByteCountMax = 64

    private static let magic = "kairan-sentinel"
    private static let version = "1"
    private static let byteCountMax = 512

    /// Notes where the store is.
    /// - Parameters:
    ///   - incarnation: The present life of the store.
    ///   - commitNumber: The number of the last commit.
    ///   - machine: Names the computer, such as the bytes of the operating system's machine id; at most 64 bytes.
    package init(incarnation: Incarnation, commitNumber: UInt64, machine: [UInt8]) {
        precondition(machine.count <= Self.machineByteCountMax, "a machine's name has at most 64 bytes")
        self.incarnation = incarnation
        self.commitNumber = commitNumber
        self.machine = machine
    }

    /// The file's contents.
    package var encoded: [UInt8] {
        let lines = """
            \(Self.magic) \(Self.version)
            incarnation \(incarnation.text)
            commit \(commitNumber)
            machine \(Hexadecimal.encode(machine))

            """
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
        guard lines.count == 6, lines[1...4].map(\.first) == ["incarnation", "commit", "machine", "check"],
            lines[1...4].allSatisfy({ $0.count == 2 }),
            let incarnation = Incarnation(text: lines[1][1]),
            let commitNumber = UInt64(lines[2][1]),
            let machine = Hexadecimal.decode(lines[3][1]), machine.count <= Self.machineByteCountMax
        else { throw .damaged }
        self.init(incarnation: incarnation, commitNumber: commitNumber, machine: machine)
        // Comparing the whole covers the check, and other spellings of the same values as well.
        guard encoded == bytes else { throw .damaged }
    }

    private static func check(of lines: String) -> String {
        Hexadecimal.encode(Blake2b.digest32(.sentinelTag, Array(lines.utf8)).prefix(8))
    }
}
