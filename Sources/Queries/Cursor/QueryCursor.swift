import Wire

/// The beginning of a query's next page, as a text that is opaque to its reader.
///
/// ```
/// +---+-----------------+---------------------------------------------+-------------+
/// | 1 | fingerprint 8 B | for each sort field: 0, or 1 and bytes      | name string |
/// +---+-----------------+---------------------------------------------+-------------+
/// ```
///
/// In hexadecimal digits. It names a position in the order of the answer, not a number of records: writes between two
/// pages neither repeat nor hide a record that stays unchanged.
package enum QueryCursor {
    /// Why a text is no cursor of a query.
    package enum Failure: Error, Hashable, Sendable {
        /// It is none, is damaged, or was made by another version.
        case malformed
        /// It is another query's.
        case ofAnotherQuery
    }

    /// The format that this code writes and reads.
    static let format: UInt8 = 1

    /// The text for a place.
    package static func text(_ position: QueryPosition, of query: Query) -> String {
        var writer = WireWriter(capacity: 64)
        writer.writeByte(format)
        writer.writeUInt64(query.fingerprint)
        for value in position.values {
            writer.writeBool(value != nil)
            if let value { writer.writeBytes(value.bytes) }
        }
        writer.writeString(position.name)
        return Hexadecimal.encode(writer.bytes)
    }

    /// The place of a text.
    /// - Throws: When the text is no cursor, or not this query's.
    package static func position(_ text: String, of query: Query) throws(Failure) -> QueryPosition {
        guard text.utf8.count <= QueryLimits.cursorCharacterCountMax, let bytes = Hexadecimal.decode(text) else {
            throw .malformed
        }
        do {
            return try read(WireReader(bytes), query)
        } catch {
            guard let failure = error as? Failure else { throw .malformed }
            throw failure
        }
    }

    private static func read(_ start: WireReader, _ query: Query) throws -> QueryPosition {
        var reader = start
        guard try reader.readByte() == format else { throw Failure.malformed }
        guard try reader.readUInt64() == query.fingerprint else { throw Failure.ofAnotherQuery }
        var values: [SortValue?] = []
        for _ in query.sort {
            guard try reader.readBool() else {
                values.append(nil)
                continue
            }
            let bytes = try reader.readBytes(maximum: SortValue.byteCountMax)
            guard let value = SortValue(stored: bytes) else { throw Failure.malformed }
            values.append(value)
        }
        let name = try reader.readString(minimum: 1, maximum: Limits.nameByteCountMax)
        try reader.finish()
        return QueryPosition(values: values, name: name)
    }
}

extension QueryCursor.Failure: CustomStringConvertible {
    /// The reason, as a part of a sentence.
    package var description: String {
        switch self {
        case .malformed: "the text is not a cursor"
        case .ofAnotherQuery: "the cursor is another query's"
        }
    }
}
