package import Mailbox

/// What makes a node keep parcels for others.
package struct RelaySettings: Sendable {
    /// Where parcels lie.
    package var storage: any ParcelStorage
    /// What the relay is known by: 32 secret bytes, the same for all front ends of a relay; `nil` = made at the first start.
    package var seed: [UInt8]?
    /// How many bytes of them are kept at most.
    package var byteCountMax: UInt64
    /// Where devices reach this relay, as "host:port", for links in which the owner names nothing else.
    package var addresses: @Sendable () -> [String]

    /// Makes settings.
    /// - Parameters:
    ///   - storage: Where parcels lie.
    ///   - seed: What the relay is known by; `nil` = made at the first start.
    ///   - byteCountMax: How many bytes of them are kept at most; `nil` = ``RelayService/usualRoom``.
    ///   - addresses: Where devices reach this relay.
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
