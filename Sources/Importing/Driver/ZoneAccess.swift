import Crypto
import FileRecords
import FoundationEssentials
import KairanClient

/// The zone that files are imported into.
struct ZoneAccess: Sendable {
    private static let pageCount = 1_000

    private let client: DaemonClient
    private let zone: String

    /// Finds a zone.
    /// - Parameters:
    ///   - name: Its id or unique name.
    ///   - client: Asks the daemon.
    /// - Throws: `KairanError`, `CancellationError`.
    init(_ name: String, _ client: DaemonClient) async throws {
        self.client = client
        zone = try await client.zone(name).zone
    }

    /// The files of the zone.
    /// - Parameter folder: The path of the imported folder, whose linked files are known too; `nil` where none is linked.
    /// - Returns: The files.
    /// - Throws: `KairanError`, `CancellationError`.
    func files(linkedIn folder: String?) async throws -> KnownFiles {
        var files = KnownFiles()
        let query = RecordQuery(type: FileRecord.type, desiredKeys: KnownFiles.fields)
        var cursor: String?
        repeat {
            let page = try await client.query(query, in: zone, limit: Self.pageCount, cursor: cursor)
            for record in page.records { files.note(record) }
            cursor = page.cursor
        } while cursor != nil
        repeat {
            let page = try await client.assets.page(in: zone, after: cursor, limit: Self.pageCount)
            for asset in page.assets { files.note(asset) }
            cursor = page.cursor
        } while cursor != nil
        guard let folder else { return files }
        repeat {
            let page = try await client.assets.links(of: zone, after: cursor, limit: Self.pageCount)
            for link in page.links { files.note(link, in: folder) }
            cursor = page.cursor
        } while cursor != nil
        return files
    }

    /// The records of files as they are now, with all of their fields.
    /// - Parameter paths: The paths of the files.
    /// - Returns: The record of each, in order; `nil` where there is none.
    /// - Throws: `KairanError`, `CancellationError`.
    func records(of paths: [FilePath]) async throws -> [Record?] {
        guard !paths.isEmpty else { return [] }
        return try await client.fetch(paths.map(\.recordName), in: zone).map { outcome in
            switch outcome {
            case .saved(let record): record
            case .refused: nil
            }
        }
    }

    /// Reads content that is on this device.
    /// - Parameters:
    ///   - asset: The id of the content.
    ///   - record: The name of a record of a file that names it.
    /// - Returns: The digest; `nil` where the record names other content by now.
    /// - Throws: `KairanError`, `CancellationError`.
    func digest(of asset: String, at record: String) async throws -> FileDigest? {
        let place = Asset.Place(zone: zone, record: record, field: FileRecord.Field.content)
        let content = try await client.assets.content(of: place)
        guard content.asset.asset == asset else { return nil }
        var hash = SHA256()
        for try await piece in content { piece.withUnsafeBytes { hash.update(bufferPointer: $0) } }
        return FileDigest(hash.finalize())
    }

    /// Uploads content that is in memory.
    /// - Returns: The id of the content.
    /// - Throws: `KairanError`, `CancellationError`.
    func upload(_ bytes: [UInt8]) async throws -> String {
        let data = Data(bytes)
        return try await Self.patiently { try await client.assets.upload(data, in: zone).asset }
    }

    /// Uploads a file.
    /// - Parameters:
    ///   - pieces: Its content.
    ///   - size: The number of its bytes.
    /// - Returns: The id of the content.
    /// - Throws: ``Obstacle``, `KairanError`, `CancellationError`.
    func upload(_ pieces: FilePieces, size: UInt64) async throws -> String {
        try await Self.patiently { try await client.assets.upload(pieces, size: size, in: zone).asset }
    }

    /// Links a file.
    /// - Parameter path: Its path, as the daemon finds it.
    /// - Returns: The id of the content.
    /// - Throws: `KairanError`, `CancellationError`.
    func link(_ path: String) async throws -> String {
        try await Self.patiently { try await client.assets.link(LinkableFile(path), in: zone).asset }
    }

    /// Writes records.
    /// - Parameter batch: The writes.
    /// - Returns: The outcome of each, in order.
    /// - Throws: `KairanError`, `CancellationError`.
    func save(_ batch: [PendingWrite]) async throws -> [BatchOutcome.Outcome] {
        let writes = batch.map(\.write)
        return try await Self.patiently { try await client.saveEach(writes, in: zone).results }
    }

    private static func patiently<Value>(_ request: () async throws -> Value) async throws -> Value {
        var patience = Patience()
        while true {
            do {
                return try await request()
            } catch let error as KairanError where error.kind == .refused {
                let wish = error.problem.retryAfterMilliseconds
                guard let pause = patience.pause(after: error.code, wish: wish) else { throw error }
                try await Task.sleep(for: .milliseconds(pause))
            }
        }
    }
}
