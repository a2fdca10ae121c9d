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

extension WireError: CustomStringConvertible {
    /// The rule of the encoding that is broken, for logs and as a part of a sentence; none of the bytes.
    package var description: String {
        switch self {
        case .truncated: "the bytes end before the value does"
        case .notMinimal: "a number is written with more bytes than it needs"
        case .tooLong(let limit): "a value has more bytes or parts than the limit of \(limit)"
        case .notAscending: "items are out of order, or given twice"
        case .invalidUTF8: "a text is not UTF-8"
        case .unknownTag(let tag): "this version does not know the tag \(tag)"
        case .trailingBytes: "bytes follow after the value"
        case .invalidValue(let field): "the field “\(field)” holds an invalid value"
        case .tooDeep: "values are nested deeper than \(Limits.nestingDepthMax) levels"
        case .notCanonicalNaN: "a not-a-number has another form than the one that is allowed"
        }
    }
}
