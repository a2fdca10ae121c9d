import Wire

extension NodeTransaction {
    /// A number that nothing of its kind here has had.
    /// - Parameter name: The name of the value with the last number of its kind.
    /// - Returns: The number; 1 at first.
    /// - Throws: Any error of the store; `WireError` for a damaged value.
    mutating func nextNumber(named name: String) throws -> UInt64 {
        let stored = try value(named: name) ?? []
        var reader = WireReader(stored)
        let number = stored.isEmpty ? 1 : try reader.readVarint() + 1
        try setValue(WireWriter.varint(number), named: name)
        return number
    }
}

extension WireWriter {
    /// A number alone.
    static func varint(_ number: UInt64) -> [UInt8] {
        var writer = WireWriter()
        writer.writeVarint(number)
        return writer.bytes
    }
}
