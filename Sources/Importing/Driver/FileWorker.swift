import FileRecords
import FoundationEssentials
import KairanClient

/// Carries out the steps of the files of a bundle.
struct FileWorker: Sendable {
    /// A file whose content the daemon has.
    private struct Held: Sendable {
        var index: Int
        var file: OpenedFile
        var digest: FileDigest
        var asset: String
    }

    let folder: ImportedFolder
    let zone: ZoneAccess
    let state: ImportState
    /// The path of the folder where files are linked; `nil` where they are copied.
    let linkedFolder: String?
    let media: MediaReader
    let types: MediaTypes

    /// Imports the files of a bundle, so far that only the writing of their records remains.
    /// - Throws: `KairanError` that ends the import; `CancellationError`.
    func work(on bundle: [Int]) async throws {
        var (held, described): ([Held], [Int]) = ([], [])
        for index in bundle {
            do {
                try await read(index, &held, &described)
            } catch let obstacle as Obstacle {
                state.with { $0.end(index, obstacle) }
            }
            state.showProgress()
        }
        try await describe(described)
        try await finish(held)
        state.showProgress()
    }

    // MARK: Contents

    private func read(_ index: Int, _ held: inout [Held], _ described: inout [Int]) async throws {
        let (folder, state) = (folder, state)
        let found = state.with { $0.file(index) }
        let file = try await Blocking.run { try OpenedFile(found.source, in: folder) }
        let step = state.with { $0.opened(index, found.with(file.stamp)) }
        var bytes: [UInt8] = []
        let digest: FileDigest
        switch step {
        case .done: return
        case .describe: return described.append(index)
        case .stream: return held.append(try await stream(index, file))
        case .read:
            bytes = try await Blocking.run { try file.readAll() }
            digest = FileDigest(of: bytes)
        case .digest:
            digest = try await Blocking.run { try file.digest { state.read(index, byteCount: $0 / 2) } }
        }
        var next = state.with { $0.digested(index, digest) }
        if case .check(let asset, let record) = next {
            let read = try await check(asset, at: record, index, digest)
            next = state.with { $0.checked(index, digest, asset: asset, read: read) }
        }
        switch next {
        case .done, .check: return
        case .describe: described.append(index)
        case .reuse(let asset): held.append(Held(index: index, file: file, digest: digest, asset: asset))
        case .upload: held.append(try await upload(index, file, bytes, digest))
        }
        state.read(index, byteCount: file.stamp.size)
    }

    /// Reads content that a record states to be that of a file.
    /// - Returns: The digest; `nil` where the record names other content by now, or that cannot be read.
    private func check(
        _ asset: String,
        at record: String,
        _ index: Int,
        _ digest: FileDigest
    ) async throws -> FileDigest? {
        do {
            return try await zone.digest(of: asset, at: record)
        } catch let error as KairanError where error.kind == .refused && !ImportCore.isFatal(error.code) {
            return nil
        } catch {
            state.with { $0.uploaded(index, digest, asset: nil) }
            throw error
        }
    }

    private func stream(_ index: Int, _ file: OpenedFile) async throws -> Held {
        let state = state
        let pieces = FilePieces(file) { state.read(index, byteCount: $0) }
        do {
            let asset = try await zone.upload(pieces, size: file.stamp.size)
            let digest = pieces.digest
            state.with { $0.uploaded(index, digest, asset: asset) }
            return Held(index: index, file: file, digest: digest, asset: asset)
        } catch {
            state.with { $0.uploaded(index, nil, asset: nil) }
            throw try Self.obstacle(error)
        }
    }

    private func upload(
        _ index: Int,
        _ file: OpenedFile,
        _ bytes: [UInt8],
        _ digest: FileDigest
    ) async throws -> Held {
        let state = state
        do {
            let asset: String
            if let linkedFolder {
                let source = state.with { $0.file(index).source }
                asset = try await zone.link(linkedFolder + (linkedFolder.hasSuffix("/") ? "" : "/") + source.text)
            } else if file.stamp.size > ImportCore.memoryByteCountMax {
                let size = file.stamp.size
                let pieces = FilePieces(file) { state.read(index, byteCount: size / 2 + $0 / 2) }
                asset = try await zone.upload(pieces, size: size)
                guard pieces.digest == digest else { throw Obstacle.changed }
            } else {
                asset = try await zone.upload(bytes)
            }
            state.with { $0.uploaded(index, digest, asset: asset) }
            return Held(index: index, file: file, digest: digest, asset: asset)
        } catch {
            state.with { $0.uploaded(index, digest, asset: nil) }
            throw try Self.obstacle(error)
        }
    }

    /// The obstacle of one file in an error.
    /// - Throws: The error itself where it is that of all files.
    private static func obstacle(_ error: any Error) throws -> Obstacle {
        switch error {
        case let obstacle as Obstacle: return obstacle
        case let error as KairanError where error.kind == .refused && !ImportCore.isFatal(error.code):
            return .refused(error.problem, isRetryable: error.isRetryable)
        default: throw error
        }
    }

    // MARK: Records

    private func describe(_ described: [Int]) async throws {
        let files = described.map { index in state.with { $0.file(index) } }
        let records = try await zone.records(of: files.map(\.path))
        for (position, index) in described.enumerated() {
            let file = files[position]
            let current = position < records.count ? records[position] : nil
            guard let current, var written = FileRecord(current),
                current.version == state.with({ $0.record(index)?.version })
            else {
                // It has changed since the zone's files were listed: the second attempt looks at it as it is now.
                state.with { $0.recordChanged(index, current) }
                continue
            }
            written.content.modifiedAt = Date(milliseconds: file.modifiedMilliseconds)
            written.isExecutable = file.isExecutable
            add(index, written.write(ifVersion: current.version), digest: written.digest, .described)
        }
    }

    private func finish(_ held: [Held]) async throws {
        let files = held.map { entry in state.with { $0.file(entry.index) } }
        let inputs = zip(held, files).map { MediaReader.Input(file: $0.file, path: $1.source) }
        let answers = try await media.read(inputs)
        for (position, entry) in held.enumerated() {
            guard !entry.file.hasChanged else {
                state.with { $0.end(entry.index, .changed) }
                continue
            }
            let (file, answer) = (files[position], answers[position])
            if answer.hasFailed { state.with { $0.toolFailed() } }
            let content = AssetDescription(
                asset: entry.asset,
                size: file.size,
                mediaType: answer.facts?.mediaType ?? types.type(of: file.path.lastPart),
                modifiedAt: Date(milliseconds: file.modifiedMilliseconds),
                thumbnail: answer.thumbnail.map { Data($0) }
            )
            let record = FileRecord(
                path: file.path,
                content: content,
                digest: entry.digest,
                isExecutable: file.isExecutable
            )
            let known = state.with { $0.record(entry.index) }
            var write = record.write(ifVersion: known?.version ?? "")
            write.state(answer.facts?.fields(LocalClock.moment) ?? [:])
            add(entry.index, write, digest: entry.digest, known == nil ? .added : .changed)
        }
    }

    private func add(_ index: Int, _ write: RecordWrite, digest: FileDigest?, _ kind: FileOutcome.Kind) {
        let now = state.now
        state.with { $0.write(index, write, digest: digest, kind: kind, at: now) }
    }
}

extension FoundFile {
    /// The file as it is now.
    fileprivate func with(_ stamp: FileStamp) -> FoundFile {
        var file = self
        (file.size, file.modifiedMilliseconds) = (stamp.size, stamp.modifiedMilliseconds)
        file.isExecutable = stamp.isExecutable
        return file
    }
}
