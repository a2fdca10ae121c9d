package import Mailbox

/// The settings of a node that keeps parcels for other accounts.
package struct RelaySettings: Sendable {
    /// The storage of the parcels.
    package var storage: any ParcelStorage
    /// The secret from which the relay's identity is derived: 32 bytes, the same for all front ends of a relay; `nil`
    /// = made at the first start.
    package var seed: [UInt8]?
    /// The most bytes of parcels that are kept.
    package var byteCountMax: UInt64
    /// The addresses at which devices reach this relay, as "host:port", for links in which the owner names nothing
    /// else.
    package var addresses: @Sendable () -> [String]

    /// Makes settings.
    /// - Parameters:
    ///   - storage: The storage of the parcels.
    ///   - seed: The secret from which the relay's identity is derived; `nil` = made at the first start.
    ///   - byteCountMax: The most bytes of parcels that are kept; `nil` = ``RelayService/usualRoom``.
    ///   - addresses: The addresses at which devices reach this relay.
    package init(
        storage: any ParcelStorage,
        seed: [UInt8]? = nil,
        byteCountMax: UInt64?,
        addresses: @escaping @Sendable () -> [String]
    ) {
        self.storage = storage
        self.seed = seed
        self.byteCountMax = byteCountMax ?? RelayService.usualRoom
        self.addresses = addresses
    }
}
