import Glibc
import Node
import Sync
import Wire

/// A look at the sizes of the files of payloads, by one snapshot of the database.
struct PayloadInspection {
    /// Damaged files that are listed.
    private static let damagedCountMax = 100

    let statements: StatementCache
    let directory: PayloadDirectory

    /// Compares the file of each payload with the chunks that are here.
    ///
    /// A file that a commit has removed after the snapshot is taken for a damaged one: ``confirmed(_:)`` leaves it out.
    /// - Returns: The findings.
    /// - Throws: `.payloadsMissing`; any error of the store.
    /// - Complexity: O(payloads · log chunks), and O(missing chunks) for one that is fetched.
    func findings() throws -> PayloadFindings {
        try directory.requireOwn()
        let payloads = try statements.statement("SELECT number, chunk_size FROM payload ORDER BY number")
            .all { (number: try $0.unsigned(0), chunkByteCount: Int($0.integer(1))) }
        var findings = PayloadFindings()
        for payload in payloads {
            guard let extent = try extent(of: payload.number, payload.chunkByteCount) else { continue }
            findings.fileCount += 1
            guard let damage = try damage(of: payload.number, extent) else { continue }
            findings.damagedCount += 1
            if findings.damaged.count < Self.damagedCountMax { findings.damaged.append(damage) }
        }
        return findings
    }

    /// Leaves out the files of payloads that are gone in this later snapshot.
    /// - Parameter findings: Those by an earlier one.
    /// - Returns: The findings. Of more than are listed only the listed ones are looked at again.
    /// - Throws: As ``findings()``.
    func confirmed(_ findings: PayloadFindings) throws -> PayloadFindings {
        var confirmed = findings
        confirmed.damaged = try findings.damaged.filter { damage in
            let size = try statements.statement("SELECT chunk_size FROM payload WHERE number = ?")
                .first(Int64(clamping: damage.number)) { Int($0.integer(0)) }
            guard let size, let extent = try extent(of: damage.number, size) else { return false }
            return try self.damage(of: damage.number, extent) != nil
        }
        confirmed.damagedCount -= findings.damaged.count - confirmed.damaged.count
        return confirmed
    }

    /// The bytes that the file of a payload has at least.
    private struct Extent {
        let byteCount: UInt64
        /// The bytes from one chunk to the next.
        let stride: UInt64
    }

    /// The extent of the chunks that are here; `nil` where none is in a file.
    private func extent(of number: UInt64, _ chunkByteCount: Int) throws -> Extent? {
        guard PayloadOutline.chunkByteCounts.contains(chunkByteCount) else { return nil }
        let last = try statements.statement(
            """
            SELECT position, held FROM chunk WHERE payload = ? AND held IS NOT NULL AND bytes IS NULL
            ORDER BY position DESC LIMIT 1
            """
        ).first(Int64(clamping: number)) { (position: try $0.unsigned(0), held: try $0.unsigned(1)) }
        guard let last, last.position < UInt64(Limits.payloadChunkCountMax) else { return nil }
        let stride = UInt64(chunkByteCount + Limits.chunkTagByteCount)
        return Extent(byteCount: last.position * stride + min(last.held, stride), stride: stride)
    }

    private func damage(of number: UInt64, _ extent: Extent) throws -> PayloadFindings.Damage? {
        let size = try directory.byteCount(number)
        guard size < extent.byteCount else { return nil }
        return PayloadFindings.Damage(number: number, position: size / extent.stride)
    }
}
