import Wire

/// A durable place in the store's feed of changes.
///
/// The text is base32 of the store's feed identity (16 bytes) and the position (8 bytes, big-endian), so that a token of
/// another store, or of this one before it was restored, is recognised instead of being read as a wrong place.
struct ChangeToken: Sendable, Equatable {
    /// Which store's feed.
    var feed: [UInt8]
    /// Everything up to here has been seen.
    var position: UInt64

    /// What programs keep.
    var text: String {
        Base32.encode(feed + (0..<8).map { UInt8(truncatingIfNeeded: position >> (56 - 8 * UInt64($0))) })
    }

    init(feed: [UInt8], position: UInt64) {
        self.feed = feed
        self.position = position
    }

    /// Reads a token.
    /// - Returns: `nil` when the text was not made by ``text``.
    init?(text: String) {
        guard let bytes = Base32.decode(text), bytes.count == 24 else { return nil }
        feed = Array(bytes[..<16])
        position = bytes[16...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// What to tell a program whose token does not fit.
    static let expired = NodeError(
        .tokenExpired,
        "The change token belongs to another store or is damaged.",
        fix: "Read the zone's records anew and continue with the token of that answer."
    )
}
