package import Wire

/// The link to a public zone: its terms, which are no secret as long as it is public.
///
/// ```
/// kairan://zone#  base32 of
/// +---+---------+---------------+-----------+
/// | 1 | genesis | tag key 32 B  | check 4 B |
/// +---+---------+---------------+-----------+
/// ```
///
/// It gives no right: a holder of the link receives the records that all accounts may read, as long as the zone is
/// public.
package struct PublicLink: Equatable, Sendable {
    /// The beginning of the text.
    package static let prefix = "kairan://zone#"

    /// The terms that are needed to read the zone.
    package let terms: ZoneTerms

    /// Makes a link.
    /// - Parameter terms: The terms that are needed to read the zone.
    package init(_ terms: ZoneTerms) {
        self.terms = terms
    }

    /// Reads a link's ``text``; only white space around it does not matter.
    /// - Parameter typed: The text that a person pasted.
    /// - Throws: ``InviteLinkError``.
    package init(typed: String) throws(InviteLinkError) {
        let payload = try LinkText.decode(typed, prefix: Self.prefix)
        do {
            terms = try ZoneTerms(decoding: payload)
        } catch {
            throw .malformed
        }
    }

    /// The link as it is sent.
    package var text: String { LinkText.encode(terms.encoded, prefix: Self.prefix) }

    /// Whether a text is meant to be such a link.
    /// - Parameter typed: The text that a person pasted.
    /// - Returns: True also for one that was cut or mistyped.
    package static func isMeant(by typed: String) -> Bool {
        typed.trimmingPrefix(while: \.isWhitespace).hasPrefix(prefix)
    }
}
