/// Reports the outcome of a ``GuestWrite``.
///
/// ```
/// +---------------+---+-------------------------------------+
/// | number varint | 1 | length varint, count × GuestResult  |   as many as were asked for, in their order
/// +---------------+---+-------------------------------------+
/// | number varint | 2 | code 1                              |   nothing was written, unless the code says otherwise
/// +---------------+---+-------------------------------------+
/// ```
package struct GuestAnswer: Hashable, Sendable {
    /// The outcome of the request.
    package enum Outcome: Hashable, Sendable {
        /// Each write was decided; saved records are durable at the answering device.
        case decided([GuestResult])
        /// The request was refused; receivers treat unknown codes as a refusal without a reason.
        case refused(UInt8)

        /// Refuses the request.
        package static func refused(_ code: GuestRefusalCode) -> Outcome { .refused(code.rawValue) }
    }

    /// The request's number.
    package var number: UInt64
    /// The outcome of the request.
    package var outcome: Outcome

    /// Makes a message.
    package init(number: UInt64, _ outcome: Outcome) {
        self.number = number
        self.outcome = outcome
    }
}

extension GuestAnswer.Outcome {
    /// Whether an answer has room for it.
    /// - Complexity: O(bytes).
    package var fitsMessage: Bool {
        if case .decided(let results) = self {
            Self.bytes(of: results).count <= Limits.guestWriteByteCountMax
        } else {
            true
        }
    }

    fileprivate static func bytes(of results: [GuestResult]) -> [UInt8] {
        var writer = WireWriter()
        writer.writeList(results)
        return writer.bytes
    }
}

extension GuestAnswer: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeVarint(number)
        switch outcome {
        case .decided(let results):
            writer.writeByte(1)
            writer.writeBytes(Outcome.bytes(of: results))
        case .refused(let code):
            writer.writeByte(2)
            writer.writeByte(code)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        number = try reader.readVarint()
        switch try reader.readByte() {
        case 1:
            var nested = try reader.readNested(maximum: Limits.guestWriteByteCountMax)
            outcome = .decided(
                try nested.readList(
                    maximum: Int(Limits.batchOperationCountMax),
                    itemByteCountMin: GuestResult.byteCountMin
                )
            )
            try nested.finish()
        case 2: outcome = .refused(try reader.readByte())
        default: throw .invalidValue("outcome of a guest's write")
        }
    }
}
