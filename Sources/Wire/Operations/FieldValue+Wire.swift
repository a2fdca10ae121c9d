extension FieldValue: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeTagged(tag) { writer in encodePayload(into: &writer) }
    }

    private func encodePayload(into writer: inout WireWriter) {
        switch self {
        case .null: break
        case .string(let value): writer.writeUTF8(value)
        case .int64(let value): writer.writeSigned(value)
        case .double(let value): writer.writeDouble(value)
        case .bool(let value): writer.writeBool(value)
        case .bytes(let value): writer.writeRaw(value)
        case .date(let milliseconds): writer.writeSigned(milliseconds)
        case .location(let latitude, let longitude):
            writer.writeDouble(latitude)
            writer.writeDouble(longitude)
        case .reference(let zone, let record):
            writer.writeOptional(zone)
            writer.writeString(record)
        case .anchor(let record): writer.writeString(record)
        case .asset(let descriptor): writer.write(descriptor)
        case .list(let values): writer.writeList(values)
        case .counter(let state): writer.write(state)
        case .set(let state): writer.write(state)
        case .unknown(let tag, let bytes):
            precondition(tag >= Self.firstUnknownTag, "a known kind of value is written as itself")
            writer.writeRaw(bytes)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let tag = try reader.readVarint()
        var payload = try reader.readNested(maximum: Limits.bodyByteCountMax)
        switch tag {
        case 0: self = .null
        case 1: self = .string(try payload.readRestAsString())
        case 2: self = .int64(try payload.readSigned())
        case 3: self = .double(try payload.readDouble())
        case 4: self = .bool(try payload.readBool())
        case 5: self = .bytes(payload.readRest())
        case 6: self = .date(milliseconds: try payload.readSigned())
        case 7: self = .location(latitude: try payload.readDouble(), longitude: try payload.readDouble())
        case 8:
            self = .reference(
                zone: try payload.readOptional(),
                record: try payload.readString(minimum: 1, maximum: Limits.nameByteCountMax)
            )
        case 9: self = .asset(try AssetDescriptor(from: &payload))
        case 10: self = .list(try Self.readItems(from: &payload))
        case 11: self = .counter(try CounterState(from: &payload))
        case 12: self = .set(try SetState(from: &payload))
        case 13: self = .anchor(record: try payload.readString(minimum: 1, maximum: Limits.nameByteCountMax))
        default: self = .unknown(tag: tag, bytes: payload.readRest())
        }
        try payload.finish()
    }

    /// Reads a list's values.
    ///
    /// The depth is counted before recursing, so hostile nesting costs eight frames.
    private static func readItems(from reader: inout WireReader) throws(WireError) -> [FieldValue] {
        try reader.enter()
        let count = try reader.readCount(maximum: Limits.listItemCountMax, itemByteCountMin: 2)
        var items: [FieldValue] = []
        items.reserveCapacity(count)
        for _ in 0..<count {
            let item = try FieldValue(from: &reader)
            switch item {
            // Merging looks only at a field's own value; inside a list these two could not keep their promise.
            case .counter, .set: throw .invalidValue("list item")
            default: items.append(item)
            }
        }
        reader.leave()
        return items
    }
}

extension WireWriter {
    /// Writes a string's UTF-8 form without a length.
    mutating func writeUTF8(_ value: String) {
        for byte in value.utf8 {
            writeByte(byte)
        }
    }
}
