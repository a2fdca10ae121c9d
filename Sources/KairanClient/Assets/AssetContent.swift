public import FoundationEssentials
import NIOCore
import NIOHTTP1

/// The content of an asset, in pieces as they arrive; iterate once.
///
/// A connection that breaks is opened again, and the reading continues with the missing bytes; it throws when that does
/// not help, and when the record names other content meanwhile.
public struct AssetContent: AsyncSequence, Sendable {
    /// A piece, never empty.
    public typealias Element = Data

    /// The asset when the reading began.
    public let asset: Asset
    /// The position of the first byte to read.
    public let offset: UInt64
    /// The number of bytes to read.
    public let count: UInt64
    private let source: Source
    private let body: AnswerBody

    /// The place from which the content is read.
    fileprivate struct Source: Sendable {
        let client: DaemonClient
        let place: Asset.Place
        let waitMilliseconds: Int

        /// The content of an answer.
        struct Answer {
            /// The id of the content.
            var asset: String
            /// The part of the content that the answer has.
            var part: ContentSpan
            /// The bytes.
            var body: AnswerBody
        }

        /// Asks for content.
        /// - Parameter span: The bytes that are wanted; `nil` for all.
        /// - Returns: The content as it arrives.
        /// - Throws: ``KairanError``, `CancellationError`.
        func open(_ span: ByteSpan?) async throws -> Answer {
            let request = AssetRequests.content(at: place, span, waitMilliseconds: waitMilliseconds)
            let answer = try await client.openWhole(request, accept: "*/*")
            guard let part = ContentSpan.of(answer), part.first == span?.first ?? 0 else {
                throw KairanError.unexpectedAnswer("it does not state which part of the content it has")
            }
            // A place is asked for, and the record may name other content by now.
            guard let tag = answer.headers.first(name: "etag") else {
                throw KairanError.unexpectedAnswer("it does not name its content")
            }
            return Answer(asset: String(tag.filter { $0 != "\"" }), part: part, body: answer.body)
        }
    }

    /// The times that the beginning is tried while the record names other content each time.
    private static let beginningCountMax = 4

    private init(_ asset: Asset, from source: Source, _ answer: Source.Answer) {
        self.asset = asset
        self.source = source
        body = answer.body
        (offset, count) = (answer.part.first, answer.part.count)
    }

    /// Asks for the content of an asset.
    /// - Parameters:
    ///   - place: The place that names the asset.
    ///   - span: The bytes that are wanted; `nil` for all.
    ///   - waitMilliseconds: The time that the daemon waits for the next bytes.
    ///   - client: Asks the daemon.
    /// - Returns: The content as it arrives.
    /// - Throws: ``KairanError``, `CancellationError`.
    static func open(
        _ place: Asset.Place,
        _ span: ByteSpan?,
        waitMilliseconds: Int,
        _ client: DaemonClient
    ) async throws -> AssetContent {
        let source = Source(client: client, place: place, waitMilliseconds: waitMilliseconds)
        for _ in 0..<beginningCountMax {
            let answer = try await source.open(span)
            let asset = try await client.assets.asset(at: place)
            if asset.asset == answer.asset, asset.size == answer.part.total {
                return AssetContent(asset, from: source, answer)
            }
        }
        throw KairanError.replaced(place)
    }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            source: source,
            asset: asset,
            core: DownloadCore(from: offset, to: offset + count),
            parts: body.makeAsyncIterator()
        )
    }

    /// Reads piece by piece.
    public struct Iterator: AsyncIteratorProtocol {
        private let source: Source
        private let asset: Asset
        private var core: DownloadCore
        private var parts: AnswerBody.Iterator?

        fileprivate init(source: Source, asset: Asset, core: DownloadCore, parts: AnswerBody.Iterator) {
            self.source = source
            self.asset = asset
            self.core = core
            self.parts = parts
        }

        /// The next piece; `nil` after the last.
        /// - Throws: ``KairanError``: `asset.unavailable` where no device sent the next bytes in time, `asset.replaced`
        ///   where the record names other content now; `CancellationError`.
        public mutating func next() async throws -> Data? {
            while !core.isComplete {
                do {
                    if parts == nil { parts = try await reopen() }
                    if let piece = try await read() {
                        core.received(piece.count)
                        return piece
                    }
                    throw KairanError.interrupted(reason: "the content ended early")
                } catch let error as KairanError {
                    parts = nil
                    let pause = try core.failed(error)
                    try await Task.sleep(for: .milliseconds(pause))
                }
            }
            // The end of the answer frees its connection for the next request; all bytes are here, whatever it says.
            if parts != nil { _ = try? await parts?.next() }
            parts = nil
            return nil
        }

        private mutating func read() async throws -> Data? {
            while true {
                let part: ByteBuffer?
                do {
                    part = try await parts?.next()
                } catch {
                    throw DaemonClient.interruption(error)
                }
                guard let part else { return nil }
                if part.readableBytes > 0 { return Data(part.readableBytesView) }
            }
        }

        /// Asks for the missing bytes, of the same content.
        private func reopen() async throws -> AnswerBody.Iterator {
            let answer = try await source.open(core.rest)
            guard answer.asset == asset.asset, answer.part.end == core.end else {
                throw KairanError.replaced(source.place)
            }
            return answer.body.makeAsyncIterator()
        }
    }
}

extension AssetClient {
    /// Reads the content of an asset, which the device fetches first where it is not here.
    /// - Parameters:
    ///   - place: The place that names the asset.
    ///   - offset: The first byte to read; below the asset's size, or 0.
    ///   - count: The number of bytes to read, at least 1; `nil` for all from there.
    ///   - waitMilliseconds: The time that the daemon waits for the next bytes where another device has them,
    ///     0...300,000.
    /// - Returns: The bytes; iterate once.
    /// - Throws: ``KairanError``: `asset.unavailable` where no device sent the first bytes in time, `asset.not_wanted`
    ///   with the policy ``AssetClient/Policy/never``; `CancellationError`.
    public func content(
        of place: Asset.Place,
        from offset: UInt64 = 0,
        count: UInt64? = nil,
        waitMilliseconds: Int = AssetClient.waitMilliseconds
    ) async throws -> AssetContent {
        let span = offset == 0 && count == nil ? nil : ByteSpan(from: offset, count: count)
        return try await AssetContent.open(place, span, waitMilliseconds: waitMilliseconds, client)
    }

    /// Reads the content of an asset into a file, which the device fetches first where it is not here.
    ///
    /// The content is written to another file beside it. That file replaces an earlier one of the name when all bytes
    /// are on the disk; otherwise it is removed.
    /// - Parameters:
    ///   - place: The place that names the asset.
    ///   - fileURL: The file to write.
    ///   - waitMilliseconds: The time that the daemon waits for the next bytes where another device has them,
    ///     0...300,000.
    ///   - progress: Called with the number of bytes that are in the file, again and again.
    /// - Returns: The asset.
    /// - Throws: ``KairanError``, as ``content(of:from:count:waitMilliseconds:)`` and `file.unwritable`;
    ///   `CancellationError`.
    @discardableResult
    public func download(
        _ place: Asset.Place,
        to fileURL: URL,
        waitMilliseconds: Int = AssetClient.waitMilliseconds,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Asset {
        let content = try await content(of: place, waitMilliseconds: waitMilliseconds)
        let file = try TargetFile(fileURL)
        do {
            var byteCount: UInt64 = 0
            for try await piece in content {
                try await file.write(piece)
                byteCount += UInt64(piece.count)
                progress?(TransferProgress(byteCount: byteCount, total: content.count))
            }
            try await file.finish()
        } catch {
            file.abandon()
            throw error
        }
        return content.asset
    }
}

extension KairanError {
    /// A place that names other content than when the reading began.
    static func replaced(_ place: Asset.Place) -> KairanError {
        KairanError(
            .refused,
            code: "asset.replaced",
            title: "The asset was replaced",
            detail: "The field \(place.field) of \(place.record) names other content than when the reading began.",
            fix: "Begin to read again."
        )
    }
}
