/// Why bytes are not the canonical encoding of a value.
///
/// Every case is the sender's fault (or damage on the way); none describes our own state, so a peer may cause each
/// of them at will and a receiver only ever refuses, never traps.
package enum WireError: Error, Equatable, Sendable {
    /// The bytes end before the value does, or a count promises more than the bytes that are left can hold.
    case truncated
    /// An integer is written with more bytes than it needs, or does not fit 64 bits.
    case notMinimal
    /// A length or a count is above its limit (in bytes or items, whichever the field counts).
    case tooLong(limit: Int)
    /// Items that must be strictly ascending are out of order or repeated.
    case notAscending
    /// A string is not well-formed UTF-8.
    case invalidUTF8
    /// A tag, or a format byte, that this version does not know and may not carry on.
    case unknownTag(UInt64)
    /// Bytes are left over behind the value.
    case trailingBytes
    /// A field holds something its type cannot mean; the payload is a constant field name.
    case invalidValue(String)
    /// Values are nested deeper than `Limits.nestingDepthMax`.
    case tooDeep
    /// A not-a-number in another form than the one canonical bit pattern.
    case notCanonicalNaN
}
