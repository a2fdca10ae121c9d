/// Bytes that the store keeps sealed, and that nothing prints.
package struct StoredSecret: Hashable, Sendable {
    /// The number of bytes.
    package static let byteCount = 32

    /// The bytes.
    package let bytes: [UInt8]

    /// Takes 32 bytes; `nil` for any other number of them.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }
}

extension StoredSecret: CustomStringConvertible, CustomReflectable {
    /// A fixed text that shows none of the bytes.
    package var description: String { "secret" }
    /// An empty mirror that shows none of the bytes.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
