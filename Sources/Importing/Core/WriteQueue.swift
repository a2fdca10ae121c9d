import FoundationEssentials
package import FileRecords
package import KairanInterface

/// A write whose content is with the daemon.
package struct PendingWrite: Sendable, Hashable {
    /// The file.
    package var index: Int
    /// The write.
    package var write: RecordWrite
    /// The digest of the content.
    package var digest: FileDigest?
    /// The outcome once the write is saved.
    package var kind: FileOutcome.Kind

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(index: Int, write: RecordWrite, digest: FileDigest?, kind: FileOutcome.Kind) {
        (self.index, self.write) = (index, write)
        (self.digest, self.kind) = (digest, kind)
    }

    /// About the number of bytes of the write in a request.
    package var byteCount: Int {
        var count = 512 + write.name.utf8.count * 2
        if case .asset(let content)? = write.fields[FileRecord.Field.content] {
            count += (content.thumbnail?.count ?? 0) * 4 / 3
        }
        return count
    }
}

/// Gathers writes into batches: many in one request, and none that waits for long.
///
/// A record makes an import durable: an upload without one is dropped after a day.
package struct WriteQueue: Sendable {
    /// The writes of a batch.
    package static let countMax = 256
    /// About the bytes of a batch.
    package static let byteCountMax = 3 << 20
    /// The time for which a write waits for others, in milliseconds.
    package static let patienceMilliseconds: Int64 = 2_000

    private var writes: [PendingWrite] = []
    private var byteCount = 0
    private var since: Int64?
    private var isSending = false

    /// Holds no writes.
    package init() {}

    /// Whether no write waits, and none is being sent.
    package var isEmpty: Bool { writes.isEmpty && !isSending }
    /// Whether writes wait.
    package var isWaiting: Bool { !writes.isEmpty }

    /// Adds a write.
    /// - Parameters:
    ///   - write: The write.
    ///   - now: The time, in milliseconds of any clock.
    package mutating func add(_ write: PendingWrite, at now: Int64) {
        writes.append(write)
        byteCount += write.byteCount
        since = since ?? now
    }

    /// Takes a batch out, if one is due and none is being sent.
    /// - Parameters:
    ///   - now: The time, by the same clock.
    ///   - isIdle: Whether no further write will come by itself.
    /// - Returns: The batch; `nil` for none.
    package mutating func take(at now: Int64, isIdle: Bool) -> [PendingWrite]? {
        guard !isSending, let since else { return nil }
        guard
            isIdle || writes.count >= Self.countMax || byteCount >= Self.byteCountMax
                || now - since >= Self.patienceMilliseconds
        else { return nil }
        var batch: [PendingWrite] = []
        var bytes = 0
        for write in writes {
            guard batch.count < Self.countMax, batch.isEmpty || bytes + write.byteCount <= Self.byteCountMax else {
                break
            }
            batch.append(write)
            bytes += write.byteCount
        }
        writes.removeFirst(batch.count)
        byteCount -= bytes
        // The rest is as old as the batch at most.
        self.since = writes.isEmpty ? nil : since
        isSending = true
        return batch
    }

    /// Takes note that the batch was answered.
    package mutating func sent() { isSending = false }
}
