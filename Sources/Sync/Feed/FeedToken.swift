import Sodium
import Wire

/// A position that a program keeps in order to continue reading the feed of changes, also after a restart of either
/// side.
///
/// The text is base32 of the feed's identity (16 bytes), the position (8, big-endian), the beginning (8) when the
/// view has a filter, where there is one the backlog (32 and 8), and a seal (8) over all of it and the view. So a
/// token of another store, of this one before it was restored, of another view, and a damaged one are recognised
/// instead of being read as a wrong place. The seal is no secret: a token gives no right, and a program that forges
/// one skips changes only for itself.
package struct FeedToken: Sendable, Hashable {
    /// The identity of the store's feed in one lifetime.
    package var feed: [UInt8]
    /// The position up to which it was read.
    package var position: FeedPosition
    /// The end of the feed when the reader had nothing; kept for views with a filter only.
    ///
    /// For records unchanged since then, no other state was ever reported to the reader.
    package var begin: UInt64

    /// A token.
    package init(feed: [UInt8], position: FeedPosition, begin: UInt64 = 0) {
        self.feed = feed
        self.position = position
        self.begin = begin
    }

    /// Returns the text that a program keeps.
    package func text(of view: FeedView) -> String {
        Base32.encode(bytes(view) + seal(view))
    }

    /// Reads a token for a view; `nil` when the text was not made by ``text(of:)`` for it, or for one that it is a part of.
    /// - Parameters:
    ///   - text: The text that the program kept.
    ///   - view: The view to read.
    package init?(_ text: String, for view: FeedView) {
        let size = view.filter == nil ? 32 : 40
        guard text.utf8.count <= 256, let bytes = Base32.decode(text), bytes.count == size || bytes.count == size + 40
        else { return nil }
        var reader = WireReader(Array(bytes[16..<bytes.count - 8]))
        // A truncated or extended text is no token, whatever the exact error.
        guard let position = try? reader.readUInt64(), let begin = view.filter == nil ? 0 : try? reader.readUInt64()
        else { return nil }
        self.init(feed: Array(bytes[..<16]), position: FeedPosition(position), begin: begin)
        if bytes.count > size {
            guard let zone = try? reader.readDigest(), let behind = try? reader.readUInt64() else { return nil }
            self.position.backlog = FeedPosition.Backlog(zone: ZoneID(zone), position: behind)
        }
        let seal = Array(bytes.suffix(8))
        guard view.accepted.contains(where: { self.seal($0) == seal }) else { return nil }
        if let only = view.zone, self.position.backlog.map({ $0.zone != only }) == true { self.position.backlog = nil }
    }

    private func bytes(_ view: FeedView) -> [UInt8] {
        var writer = WireWriter(capacity: 80)
        writer.writeRaw(feed)
        writer.writeUInt64(position.position)
        if view.filter != nil { writer.writeUInt64(begin) }
        if let backlog = position.backlog {
            writer.writeDigest(backlog.zone.digest)
            writer.writeUInt64(backlog.position)
        }
        return writer.bytes
    }

    private func seal(_ view: FeedView) -> [UInt8] {
        let words = (bytes(view) + view.bytes).withUnsafeBytes { Blake2b.words32(.changeToken, $0) }
        return (0..<8).map { UInt8(truncatingIfNeeded: words.first >> (56 - 8 * UInt64($0))) }
    }
}

/// A token that does not belong to this store in its present lifetime, or to this view.
package struct FeedTokenExpired: Error, Sendable, Equatable {
    /// Creates the error.
    package init() {}
}

extension FeedTokenExpired: CustomStringConvertible {
    /// The reason, for logs and as a part of a sentence.
    package var description: String { "the change token is from another store, or from another selection" }
}
