/// The answer of a device about one payload that another one asks about.
///
/// ```
/// +--------------+--------+--------------+
/// | payload 32 B | word 1 | until varint |   until: only with the word 1
/// +--------------+--------+--------------+
/// ```
package struct RetentionStatus: Hashable, Sendable {
    /// The answer about a payload.
    package enum Word: Hashable, Sendable {
        /// The device keeps it until that time, in milliseconds since 1970, as long as a record names it.
        case promised(until: UInt64)
        /// The device holds it, and was not asked for a promise.
        case held
        /// The device does not hold it, or does not say so to the other one.
        case absent
        /// The device is about to evict it.
        case evicting
        /// The device cannot say, or cannot promise, now.
        case refused
    }

    /// The payload.
    package let payload: PayloadID
    /// The answer.
    package let word: Word

    /// Describes the answer about a payload.
    package init(payload: PayloadID, word: Word) {
        (self.payload, self.word) = (payload, word)
    }
}

extension RetentionStatus: WireCodable, WireOrdered {
    package var orderKey: Digest32 { payload.digest }

    package func encode(into writer: inout WireWriter) {
        writer.write(payload)
        switch word {
        case .promised(let until):
            writer.writeByte(1)
            writer.writeVarint(until)
        case .held: writer.writeByte(2)
        case .absent: writer.writeByte(3)
        case .evicting: writer.writeByte(4)
        case .refused: writer.writeByte(5)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        payload = try PayloadID(from: &reader)
        switch try reader.readByte() {
        case 1: word = .promised(until: try reader.readVarint())
        case 2: word = .held
        case 3: word = .absent
        case 4: word = .evicting
        case 5: word = .refused
        case let tag: throw .unknownTag(UInt64(tag))
        }
    }
}
