/// A value with exactly one encoding.
///
/// Law: when decoding some bytes succeeds, encoding the result gives the same bytes back. Signatures and hashes
/// are made over encodings, so two encodings of one value would be two identities of one fact.
package protocol WireCodable: Sendable {
    /// Appends the encoding.
    ///
    /// Invariants stated at the type's initialiser are assumed; sizes that people choose are not checked here, see
    /// `checkedEncoding()`.
    /// - Complexity: O(size of the encoding).
    func encode(into writer: inout WireWriter)

    /// Reads one value and leaves the reader behind it.
    /// - Throws: `WireError`; the reader's position is then unspecified.
    /// - Complexity: O(bytes read); allocates at most a constant factor of the bytes present.
    init(from reader: inout WireReader) throws(WireError)
}

extension WireCodable {
    /// The value's one encoding.
    /// - Complexity: O(size of the encoding), computed again each time.
    package var encoded: [UInt8] {
        var writer = WireWriter(capacity: 256)
        encode(into: &writer)
        return writer.bytes
    }

    /// Reads a value that fills the bytes completely.
    /// - Throws: `WireError`; `.trailingBytes` when something is left over.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        try self.init(from: &reader)
        try reader.finish()
    }

    /// Reads a value that fills the bytes completely.
    /// - Throws: `WireError`; `.trailingBytes` when something is left over.
    package init(decoding bytes: ArraySlice<UInt8>) throws(WireError) {
        try self.init(decoding: [UInt8](bytes))
    }

    /// The encoding, after making sure that a receiver will accept it.
    ///
    /// For values built from the choices of a person or an application: names too long or too many fields are found
    /// here, before anything is signed, and not by the peers that would refuse it for ever.
    /// - Throws: `WireError` that a receiver would meet.
    package func checkedEncoding() throws(WireError) -> [UInt8] {
        let bytes = encoded
        _ = try Self(decoding: bytes)
        return bytes
    }
}

/// A value that equals those with the same encoding: strings are compared by bytes, and not as Swift compares them.
package protocol EqualByEncoding: WireCodable, Hashable {}

extension EqualByEncoding {
    /// Whether both have the same encoding.
    package static func == (left: Self, right: Self) -> Bool { left.encoded == right.encoded }

    /// Feeds the encoding.
    package func hash(into hasher: inout Hasher) { hasher.combine(encoded) }
}
