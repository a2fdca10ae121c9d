import FileRecords
import FoundationEssentials
import KairanInterface
import Testing

@testable import Importing

extension FileDigest {
    /// A digest of 32 equal bytes.
    static func sample(_ byte: UInt8) throws -> FileDigest {
        try #require(FileDigest(Array(repeating: byte, count: byteCount)))
    }
}

extension FilePath {
    /// A path.
    static func sample(_ text: String) throws -> FilePath { try #require(FilePath(text)) }
}

extension FoundFile {
    /// A file of the folder itself, or of one in it.
    static func sample(_ path: String, size: UInt64 = 10, at milliseconds: Int64 = 5_000) throws -> FoundFile {
        let source = try FilePath.sample(path)
        return FoundFile(source: source, path: source, size: size, modifiedMilliseconds: milliseconds)
    }
}

extension Record {
    /// The record of a file; fields for an import's list of them, or all.
    static func file(
        _ path: String,
        version: String = "v",
        digest: FileDigest? = nil,
        of digestedContent: String = "A",
        isExecutable: Bool = false,
        content: AssetDescription? = nil,
        conflicts: Int = 0,
        type: String = "File"
    ) throws -> Record {
        var fields: NameDictionary<RecordValue> = ["path": .string(path)]
        if let digest {
            fields["sha256"] = .bytes(digest.bytes)
            fields["sha256_of"] = .string(content?.asset ?? digestedContent)
        }
        if isExecutable { fields["executable"] = true }
        if let content { fields["content"] = .asset(content) }
        let name = try FilePath.sample(path).recordName
        return Record(
            zone: "z",
            name: name,
            type: type,
            fields: fields,
            version: version,
            createdBy: "d",
            modifiedBy: "d",
            modifiedAt: Date(milliseconds: 0),
            conflicts: conflicts
        )
    }
}

extension Asset {
    /// The content of a file's record.
    static func content(
        of path: String,
        _ asset: String,
        size: UInt64 = 10,
        at milliseconds: Int64? = 5_000,
        state: State = .present
    ) throws -> Asset {
        Asset(
            asset: asset,
            zone: "z",
            record: try FilePath.sample(path).recordName,
            field: "content",
            size: size,
            name: nil,
            modifiedAt: milliseconds.map { Date(milliseconds: $0) },
            state: state,
            percent: state == .present ? 100 : 0
        )
    }
}

extension KnownFiles {
    /// Knows one file.
    static func one(_ record: Record, _ asset: Asset?) -> KnownFiles {
        var files = KnownFiles()
        files.note(record)
        if let asset { files.note(asset) }
        return files
    }
}

extension ImportCore {
    /// The outcomes since the last call, a word each.
    mutating func told() -> [String] {
        takeOutcomes().map { outcome in
            "\(outcome.source) " + (outcome.obstacle?.code ?? outcome.kind.rawValue)
        }
    }

    /// Lets a file be saved in a batch of its own.
    mutating func save(_ index: Int, _ result: BatchOutcome.Outcome, kind: FileOutcome.Kind = .added) throws {
        write(index, RecordWrite(file(index).path.recordName), digest: nil, kind: kind, at: 0)
        let batch = try dueBatch()
        _ = saved(batch, [result])
    }

    /// The batch that is due.
    mutating func dueBatch() throws -> [PendingWrite] {
        let batch = takeBatch(at: WriteQueue.patienceMilliseconds)
        return try #require(batch)
    }
}

extension BatchOutcome.Outcome {
    /// The refusal of a write.
    static func refusal(
        _ code: String,
        current: Record? = nil,
        currentVersion: String? = nil,
        isRetryable: Bool = false
    ) -> BatchOutcome.Outcome {
        var problem = Problem(
            type: "https://kairan.invalid/problems/\(code)",
            title: "A title",
            status: 409,
            code: code,
            detail: "A detail.",
            fix: "A fix.",
            isRetryable: isRetryable,
            current: current
        )
        problem.currentVersion = currentVersion
        return .refused(problem)
    }
}
