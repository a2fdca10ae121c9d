/// The secret that opens the chunks of an asset's payload.
package struct AssetSecret: Hashable, Sendable {
    /// The number of bytes of a secret.
    package static let byteCount = 32
    /// 32 zero bytes: the asset was named by its payload alone, and its secret is still to be found.
    ///
    /// No encoding contains it.
    package static let unknown = AssetSecret()

    /// The 32 bytes.
    package let bytes: [UInt8]

    /// Takes 32 bytes; `nil` for any other number of them.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    private init() {
        bytes = [UInt8](repeating: 0, count: Self.byteCount)
    }

    /// Whether it is a secret, and not ``unknown``.
    package var isKnown: Bool { bytes.contains { $0 != 0 } }
}

extension AssetSecret: UnprintedSecret {
    package var description: String { isKnown ? "the secret of an asset" : "no secret of an asset" }
}
