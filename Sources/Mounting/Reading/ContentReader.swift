internal import FoundationEssentials
internal import KairanClient

/// The content of an open file, and the ways to its bytes.
struct ContentSource: Sendable {
    /// The content; every answer is one of it, or an error.
    let content: FileContent
    /// The places that name the content now, and at last the one under which the file was opened.
    let places: @Sendable () -> [Asset.Place]
    /// Asks the daemon.
    let assets: AssetClient
    /// The time that the daemon waits for the next bytes from another device, in milliseconds.
    let waitMilliseconds: Int

    /// Asks for bytes, at one place after the other until one names the content.
    /// - Parameter range: The bytes, at least one; they lie in the content.
    /// - Returns: The bytes as they arrive.
    /// - Throws: `KairanError`, `CancellationError`.
    func open(_ range: Range<UInt64>) async throws -> AssetBytes.Iterator {
        var places = self.places()[...]
        while true {
            guard let place = places.popFirst() else { throw ReadFault.stale }
            do {
                return try await assets.bytes(
                    of: content.asset,
                    size: content.byteCount,
                    at: place,
                    from: range.lowerBound,
                    count: range.upperBound - range.lowerBound,
                    waitMilliseconds: waitMilliseconds
                ).makeAsyncIterator()
            } catch let error as KairanError where ReadFault.isElsewhere(error) && !places.isEmpty {
                continue
            }
        }
    }
}

/// Reads bytes of one content, by requests that follow the readings of a program.
///
/// It is used by one task at a time. A reading has all of its bytes, or it fails: neither zeros nor bytes of another content take the place
/// of missing ones.
struct ContentReader {
    private let source: ContentSource
    private var pattern = ReadPattern()
    /// The answer that is open.
    private var stream: AssetBytes.Iterator?
    /// The bytes of it that came and were not read yet; less than one piece of the answer.
    private var arrived = Data()

    /// Begins to read.
    init(_ source: ContentSource) { self.source = source }

    /// Whether an answer is open.
    var isStreaming: Bool { stream != nil }

    /// Closes the answer that is open.
    mutating func closeStream() {
        stream = nil
        arrived = Data()
        pattern.close()
    }

    /// Reads bytes.
    /// - Parameters:
    ///   - range: The bytes, at least one; they lie in the content.
    ///   - mayStream: Whether an answer may stay open; asked when one is to be opened.
    /// - Returns: All of them.
    /// - Throws: `KairanError`, `ReadFault`, `CancellationError`.
    mutating func read(_ range: Range<UInt64>, mayStream: @Sendable () -> Bool) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        var plan = pattern.plan(range, of: source.content.byteCount)
        if plan == .open, !mayStream() { plan = .single }
        do {
            switch plan {
            case .single: closeStream()
            case .open:
                closeStream()
                stream = try await source.open(range.lowerBound..<source.content.byteCount)
                try await take(range.count, skipping: 0, into: &bytes)
            case .goOn(let count): try await take(range.count, skipping: count, into: &bytes)
            }
        } catch let error as KairanError where error.kind == .interrupted {
            // The answer broke off. A request of its own goes on, or says why that is impossible.
            closeStream()
        } catch {
            closeStream()
            throw error
        }
        try await fill(&bytes, up: range)
        // The file system never gets fewer: the kernel would have zeros take their place.
        guard bytes.count == range.count else { throw ReadFault.incomplete }
        if isStreaming, range.upperBound == source.content.byteCount {
            // The end of the answer frees its connection; all bytes are here, whatever it says.
            _ = try? await stream?.next()
            closeStream()
        }
        pattern.note(range, isOpen: isStreaming)
        return bytes
    }

    /// Takes bytes of the answer that is open.
    private mutating func take(_ count: Int, skipping: Int, into bytes: inout [UInt8]) async throws {
        var skipped = skipping
        while bytes.count < count {
            if arrived.isEmpty {
                guard let piece = try await stream?.next() else { throw ReadFault.incomplete }
                arrived = piece
            }
            if skipped > 0 {
                let part = min(skipped, arrived.count)
                arrived = arrived.dropFirst(part)
                skipped -= part
            } else {
                let part = min(count - bytes.count, arrived.count)
                bytes.append(contentsOf: arrived.prefix(part))
                arrived = arrived.dropFirst(part)
            }
        }
    }

    /// Reads the missing bytes by answers of their own, as long as each has some of them.
    private func fill(_ bytes: inout [UInt8], up range: Range<UInt64>) async throws {
        while bytes.count < range.count {
            let before = bytes.count
            do {
                var pieces = try await source.open(range.lowerBound + UInt64(before)..<range.upperBound)
                while let piece = try await pieces.next() { bytes.append(contentsOf: piece) }
            } catch let error as KairanError where error.kind == .interrupted && bytes.count > before {
                // The next request begins with the missing byte, so that its refusal has the reason.
                continue
            }
        }
    }
}
