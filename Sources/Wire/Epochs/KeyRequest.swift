/// The epochs whose keys a device lacks although another device has stated that it delivered them.
///
/// ```
/// +--------------------------+
/// | epochs: count × hash 32  |   strictly ascending, 1 … 64
/// +--------------------------+
/// ```
///
/// Only the recipient can determine whether an envelope holds a key, so the recipient states which ones hold none.
package struct KeyRequest: Hashable, Sendable {
    /// The epochs, ascending.
    package let epochs: [Hash]

    /// Asks for keys, and sorts the epochs.
    /// - Parameter epochs: At least one, at most `Limits.keyRequestCountMax`.
    package init(_ epochs: [Hash]) {
        self.epochs = epochs.inWireOrder()
    }
}

extension KeyRequest: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeList(epochs)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        epochs = try reader.readAscending(maximum: Limits.keyRequestCountMax, itemByteCountMin: Digest32.byteCount)
        guard !epochs.isEmpty else { throw .invalidValue("epochs") }
    }
}
