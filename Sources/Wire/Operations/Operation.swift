/// One actor's next entry in one log: a record's whole new state, not a difference.
///
/// ```
/// +--------+--------------------+----------------+
/// | header | body length varint | body bytes     |
/// +--------+--------------------+----------------+
/// ```
package struct Operation: Hashable, Sendable {
    /// The header, which everyone may read.
    package var header: OperationHeader
    /// An encoded `RecordBody` (lane data) or `ControlBody` (lane control); sealed bytes when the header names an
    /// epoch.
    ///
    /// At most `Limits.bodyByteCountMax`.
    package var body: [UInt8]

    /// Makes an operation.
    /// - Parameters:
    ///   - header: Its `bodyHash` belongs to the body; the verifier of the log checks that.
    ///   - body: At most `Limits.bodyByteCountMax` bytes.
    package init(header: OperationHeader, body: [UInt8]) {
        self.header = header
        self.body = body
    }
}

extension Operation: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(header)
        writer.writeBytes(body)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        header = try OperationHeader(from: &reader)
        body = try reader.readBytes(maximum: Limits.bodyByteCountMax)
    }
}
