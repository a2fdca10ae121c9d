import Sync
import Wire

/// Reads files beneath the roots for callers, a piece at a time.
struct LinkReading: Sendable {
    /// The bytes of a piece.
    private static let pieceByteCount: UInt64 = 1 << 20

    let store: CallerStore

    /// The place of a file that a caller names.
    /// - Parameters:
    ///   - file: The path: an absolute one, or one beneath the root.
    ///   - root: The root; `nil` with an absolute path.
    /// - Returns: The place.
    /// - Throws: `NodeError` `linkPath`.
    func place(_ file: String, root: String?) async throws(NodeError) -> LinkedPlace {
        let roots = try await store.readBriefly { $0.linkedFiles.roots }
        do throws(LinkFault) {
            guard let root else { return try LinkedPlace(absolute: Array(file.utf8), roots: roots) }
            guard roots.contains(root) else { throw .outside }
            return try LinkedPlace(root: root, path: Array(file.utf8))
        } catch {
            throw .link(error, file)
        }
    }

    /// The facts about a file.
    /// - Throws: `NodeError` `linkUnusable`, `assetTooLarge`.
    func facts(of place: LinkedPlace) async throws(NodeError) -> FileFacts {
        let found = try await store.read { transaction in
            Self.outcome { () throws(LinkFault) in try transaction.linkedFiles.facts(of: place) }
        }
        switch found {
        case .success(let facts) where facts.byteCount > PayloadWriter.byteCountMax: throw .linkTooLarge
        case .success(let facts): return facts
        case .failure(let fault): throw .link(fault, place.text)
        }
    }

    /// Computes the outline that a file has when it is sealed by a secret.
    /// - Parameters:
    ///   - place: The file.
    ///   - facts: The facts about it, which have to be the same before and behind each piece.
    ///   - secret: The secret.
    ///   - announced: The size by which the size of the chunks is chosen.
    /// - Returns: The outline.
    /// - Throws: `NodeError` `linkUnusable`, `linkChanged`, `notReady` where the task was cancelled.
    /// - Complexity: O(bytes of the file).
    func outline(
        of place: LinkedPlace,
        _ facts: FileFacts,
        by secret: StoredSecret,
        announced: UInt64?
    ) async throws(NodeError) -> PayloadOutline {
        var writer = try writer(secret, announced)
        var offset: UInt64 = 0
        while offset < facts.byteCount {
            guard !Task.isCancelled else { throw store.told(CancellationError()) }
            let piece = try await piece(of: place, facts, from: offset)
            guard writer.append(piece) else { throw .linkTooLarge }
            while writer.nextChunk() != nil {}
            offset += UInt64(piece.count)
        }
        writer.finish()
        while writer.nextChunk() != nil {}
        guard let outline = writer.outline() else {
            throw NodeError(.internalError, "A payload is not complete.", fix: "Report this with the log.")
        }
        return outline
    }

    private func writer(_ secret: StoredSecret, _ announced: UInt64?) throws(NodeError) -> PayloadWriter {
        do {
            return try PayloadWriter(secret, announced: announced)
        } catch {
            throw store.told(error)
        }
    }

    private func piece(
        of place: LinkedPlace,
        _ facts: FileFacts,
        from offset: UInt64
    ) async throws(NodeError) -> [UInt8] {
        let count = Int(min(Self.pieceByteCount, facts.byteCount - offset))
        let read = try await store.read { transaction in
            Self.outcome { () throws(LinkFault) in
                try transaction.linkedFiles.read(place, expecting: facts, from: offset, count: count)
            }
        }
        switch read {
        case .success(let bytes): return bytes
        case .failure(let fault): throw .link(fault, place.text)
        }
    }

    /// The outcome of a look at a file; a fault of the file is none of the store.
    static func outcome<Value>(_ body: () throws(LinkFault) -> Value) -> Result<Value, LinkFault> {
        do throws(LinkFault) {
            return .success(try body())
        } catch {
            return .failure(error)
        }
    }
}
