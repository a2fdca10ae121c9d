internal import FileRecords
internal import FoundationEssentials
internal import Glibc
internal import KairanClient
internal import KairanInterface

/// Writes files of a zone as records, without a loss of versions that others have written.
struct ZoneWriter: Sendable {
    /// The step after a write that was refused, since the record has another version than was expected.
    enum Decision: Sendable, Hashable {
        /// The record has this file already: an earlier answer was lost.
        case isStored
        /// The record was deleted: the changed file wins.
        case isNew
        /// Another device has changed it: the file is kept beside it.
        case isConflict
    }

    /// The id of the zone.
    let zone: String
    /// Asks the daemon.
    let client: DaemonClient
    /// The name of this device, for the names of conflict files.
    let device: String
    /// The digest of a content that this mount has uploaded; `nil` for any other one.
    let sentDigest: @Sendable (String) -> FileDigest?

    private static let attemptCountMax = 4
    private static let numberMax = 1_000

    /// Decides about a write that was refused.
    /// - Parameters:
    ///   - current: The record as it is; `nil` where there is none.
    ///   - file: The file that was to be written.
    ///   - version: The version that was expected, empty for no record.
    ///   - sentDigest: The digest of a content that this mount has uploaded; `nil` for any other one.
    /// - Returns: The decision.
    static func decide(
        _ current: Record?,
        _ file: FileRecord,
        expected version: String,
        sentDigest: (String) -> FileDigest?
    ) -> Decision {
        guard let current, !current.isDeleted else { return version.isEmpty ? .isConflict : .isNew }
        guard let other = FileRecord(current), other.isExecutable == file.isExecutable else { return .isConflict }
        if other.content.asset == file.content.asset { return .isStored }
        // A member may state the digest of bytes that its content does not have.
        guard let digest = file.digest, sentDigest(other.content.asset) == digest else { return .isConflict }
        return .isStored
    }

    private func decide(_ current: Record?, _ file: FileRecord, expected version: String) -> Decision {
        Self.decide(current, file, expected: version, sentDigest: sentDigest)
    }

    /// Writes a file: in its record if that has the expected version, else as a conflict file beside it.
    /// - Parameters:
    ///   - file: The file.
    ///   - source: The record that it replaces; `nil` for a new one.
    /// - Returns: The records, the one of the file at last.
    /// - Throws: `KairanError`, ``WriteFault``, `CancellationError`.
    func store(_ file: FileRecord, over source: FileSource?) async throws -> [Record] {
        var records: [Record] = []
        var version = ""
        if let source {
            do {
                let settled = try await settle(source)
                records = settled.records
                version = settled.source.version
            } catch let error as KairanError where error.code == "record.version_mismatch" {
                // Another device has written it since: the conflict is that of its version, and this one goes beside it.
                return try await keepBeside(file, removing: nil)
            } catch let error as KairanError where WriteFault.isGone(error) {
                // A change wins over a deletion.
                version = ""
            }
        }
        for _ in 0..<Self.attemptCountMax {
            do {
                return records + [try await client.save(file.write(ifVersion: version), in: zone)]
            } catch let error as KairanError where error.code == "record.version_mismatch" || WriteFault.isGone(error) {
                switch decide(error.problem.current, file, expected: version) {
                case .isStored: return records + [error.problem.current].compactMap { $0 }
                case .isNew: version = ""
                case .isConflict: return records + (try await keepBeside(file, removing: nil))
                }
            }
        }
        throw WriteFault(EBUSY)
    }

    /// Writes facts of a file, its content as it is.
    /// - Returns: The records, the one of the file at last.
    /// - Throws: `KairanError`, `CancellationError`.
    func change(_ source: FileSource, isExecutable: Bool?, modified: Int64?) async throws -> [Record] {
        let settled = try await settle(source)
        var file = settled.source.file
        if let isExecutable { file.isExecutable = isExecutable }
        if let modified { file.content.modifiedAt = Date(milliseconds: modified) }
        return settled.records + [try await client.save(file.write(ifVersion: settled.source.version), in: zone)]
    }

    /// Deletes the record of a file.
    /// - Returns: The records.
    /// - Throws: `KairanError`, `CancellationError`.
    func delete(_ source: FileSource) async throws -> [Record] {
        let settled = try await settle(source)
        let name = source.file.path.recordName
        return settled.records
            + [try await client.save(.deletion(name, ifVersion: settled.source.version), in: zone)]
    }

    // MARK: Moving

    /// The writes that give files other paths: for each a new record with all fields, and the deletion of the old one.
    /// - Parameter moves: The files, each with its new path.
    /// - Returns: The writes, in the order of the files.
    /// - Throws: `KairanError`, ``WriteFault``: `EBUSY` where a record has changed; `CancellationError`.
    func moves(_ moves: [(source: FileSource, path: FilePath)]) async throws -> [RecordWrite] {
        let found = try await client.fetch(moves.map(\.source.file.path.recordName), in: zone)
        guard found.count == moves.count else { throw WriteFault(EIO) }
        return try zip(moves, found).flatMap { move, outcome throws -> [RecordWrite] in
            guard case .saved(let record) = outcome, record.version == move.source.version else {
                throw WriteFault(EBUSY)
            }
            let moved = FileRecord(path: move.path, content: move.source.file.content, digest: nil)
            var fields = record.fields
            fields[FileRecord.Field.path] = .string(move.path.text)
            fields[FileRecord.Field.content] = .asset(moved.content)
            var write = RecordWrite(move.path.recordName, type: FileRecord.type, fields: fields, ifVersion: "")
            if let parent = record.parent { write.parent = .set(parent) }
            return [write, .deletion(record.name, ifVersion: record.version)]
        }
    }

    /// Divides the writes of moves into batches that the daemon takes, with the two writes of a file in one.
    /// - Parameters:
    ///   - writes: The writes, two for each file.
    ///   - byteCountMax: The number of encoded bytes of a batch; a file that has more is alone in one.
    /// - Returns: The batches, none of them empty.
    static func batches(_ writes: [RecordWrite], byteCountMax: Int = 4 << 20) -> [[RecordWrite]] {
        var batches: [[RecordWrite]] = []
        var byteCount = 0
        for index in stride(from: 0, to: writes.count, by: 2) {
            let pair = Array(writes[index..<min(index + 2, writes.count)])
            let pairByteCount = pair.reduce(0) { $0 + $1.json.encoded.count }
            if let last = batches.indices.last, byteCount + pairByteCount <= byteCountMax {
                batches[last] += pair
                byteCount += pairByteCount
            } else {
                batches.append(pair)
                byteCount = pairByteCount
            }
        }
        return batches
    }

    /// Gives a file another path.
    /// - Returns: The records, that of the new path in front of the deleted one.
    /// - Throws: `KairanError`, ``WriteFault``, `CancellationError`.
    func move(_ source: FileSource, to path: FilePath) async throws -> [Record] {
        let settled = try await settle(source)
        let writes = try await moves([(source: settled.source, path: path)])
        return settled.records + (try await client.saveAtomically(writes, in: zone))
    }

    /// Has the record of a file take the content of another one, whose record is deleted.
    /// - Parameters:
    ///   - target: The file that is replaced.
    ///   - source: The file that takes its place.
    /// - Returns: The records, the one with the content in front of the deleted one; that is a conflict file where another device has changed
    ///   the target.
    /// - Throws: `KairanError`, ``WriteFault``, `CancellationError`.
    func replace(_ target: FileSource, by source: FileSource) async throws -> [Record] {
        let (mine, other) = (try await settle(source), try await settle(target))
        var file = mine.source.file
        (file.path, file.content.name, file.conflictOf) = (target.file.path, target.file.path.lastPart, nil)
        let removal = RecordWrite.deletion(source.file.path.recordName, ifVersion: mine.source.version)
        let before = mine.records + other.records
        do {
            let writes = [file.write(ifVersion: other.source.version), removal]
            return before + (try await client.saveAtomically(writes, in: zone))
        } catch let error as KairanError where error.code == "record.version_mismatch" || WriteFault.isGone(error) {
            guard error.problem.index == 0 else { throw error }
            switch decide(error.problem.current, file, expected: other.source.version) {
            case .isNew:
                return before + (try await client.saveAtomically([file.write(ifVersion: ""), removal], in: zone))
            case .isStored:
                let removed = try await client.save(removal, in: zone)
                return before + [error.problem.current, removed].compactMap { $0 }
            case .isConflict: return before + (try await keepBeside(file, removing: removal))
            }
        }
    }

    // MARK: Conflicts

    /// Writes a file as a conflict file, under a name that no record has.
    private func keepBeside(_ file: FileRecord, removing removal: RecordWrite?) async throws -> [Record] {
        let time = ConflictName.word(milliseconds: (file.content.modifiedAt ?? Date.now).roundedMilliseconds)
        for number in 1...Self.numberMax {
            guard let path = ConflictName.path(of: file.path, device: device, time: time, number: number) else {
                throw WriteFault(ENAMETOOLONG)
            }
            let kept = FileRecord(
                path: path,
                content: file.content,
                digest: file.digest,
                isExecutable: file.isExecutable,
                conflictOf: file.path
            )
            do {
                let writes = [kept.write(ifVersion: "")] + (removal.map { [$0] } ?? [])
                return try await client.saveAtomically(writes, in: zone)
            } catch let error as KairanError where error.code == "record.version_mismatch" && error.problem.index == 0 {
                // An earlier answer was lost, and nothing is left to be removed.
                guard removal == nil, let current = error.problem.current,
                    decide(current, kept, expected: "") == .isStored
                else { continue }
                return [current]
            }
        }
        throw WriteFault(EEXIST)
    }

    /// Ends a conflict in a record before it is written: each other version becomes a conflict file, and the shown one stays.
    ///
    /// A write that names the version of a record with concurrent values ends their conflict, and a version that no program has seen would go.
    /// - Parameter source: The file.
    /// - Returns: The file with the version that its record has now, and the records that were written.
    /// - Throws: `KairanError`, ``WriteFault``, `CancellationError`.
    func settle(_ source: FileSource) async throws -> (source: FileSource, records: [Record]) {
        guard source.conflictCount > 0 else { return (source, []) }
        let name = source.file.path.recordName
        // None where the conflict has ended meanwhile: the version that the write names is another one then.
        let siblings = try await client.conflict(of: name, in: zone)?.siblings ?? []
        var lost: [(file: FileRecord, device: String)] = []
        for sibling in siblings {
            // A digest is what its writer states: the same content is that of the same asset alone.
            guard let file = self.file(of: sibling, name), file.content.asset != source.file.content.asset else {
                continue
            }
            lost.append((file, String(sibling.by.prefix(8))))
        }
        // They differ in fields of other programs alone.
        guard !lost.isEmpty else { return (source, []) }
        var numbers = lost.indices.map { $0 + 1 }
        for _ in 0..<Self.numberMax {
            let writes = try zip(lost, numbers).map { side, number throws in
                try conflictFile(side.file, device: side.device, number).write(ifVersion: "")
            }
            do {
                let own = source.file.write(ifVersion: source.version)
                let records = try await client.saveAtomically(writes + [own], in: zone)
                guard let last = records.last, let file = FileRecord(last) else { throw WriteFault(EIO) }
                return (FileSource(file: file, version: last.version, conflictCount: last.conflicts), records)
            } catch let error as KairanError where error.code == "record.version_mismatch" {
                guard let index = error.problem.index, numbers.indices.contains(index) else { throw error }
                numbers[index] += lost.count
            }
        }
        throw WriteFault(EEXIST)
    }

    private func file(of sibling: Sibling, _ name: String) -> FileRecord? {
        FileRecord(
            Record(
                zone: zone,
                name: name,
                type: FileRecord.type,
                fields: sibling.fields,
                version: sibling.version,
                createdBy: sibling.by,
                modifiedBy: sibling.by,
                modifiedAt: Date(milliseconds: 0)
            )
        )
    }

    private func conflictFile(_ file: FileRecord, device: String, _ number: Int) throws(WriteFault) -> FileRecord {
        let time =
            file.content.modifiedAt.map { ConflictName.word(milliseconds: $0.roundedMilliseconds) }
            ?? String(file.content.asset.prefix(8))
        guard let path = ConflictName.path(of: file.path, device: device, time: time, number: number) else {
            throw WriteFault(ENAMETOOLONG)
        }
        return FileRecord(
            path: path,
            content: file.content,
            digest: file.digest,
            isExecutable: file.isExecutable,
            conflictOf: file.path
        )
    }
}
