import Wire

extension WireWriter {
    /// A number alone.
    static func varint(_ number: UInt64) -> [UInt8] {
        var writer = WireWriter()
        writer.writeVarint(number)
        return writer.bytes
    }
}
