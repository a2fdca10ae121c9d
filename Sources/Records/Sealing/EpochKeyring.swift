package import Wire

/// The keys of epochs that a process has opened, by epoch.
///
/// Kept in memory only: their source, the envelopes in the control logs, is stored, so the keys are opened again
/// after a start. The keyring is part of a transaction all the same, and is rolled back with it, because the
/// transaction that opens a key also evaluates the records that were locked until then.
package struct EpochKeyring: Sendable {
    private var keys: [Hash: EpochKey] = [:]
    private var refused: Set<Hash> = []
    private var marks: [ZoneID: EpochMark] = [:]

    /// An empty keyring.
    package init() {}

    /// The epochs whose keys are open.
    package var epochs: some Sequence<Hash> { keys.keys }

    /// The key of an epoch.
    /// - Parameter epoch: The epoch.
    /// - Returns: `nil` while it is not open here.
    package func key(_ epoch: Hash) -> EpochKey? { keys[epoch] }

    /// Keeps the key of an epoch.
    /// - Parameters:
    ///   - key: The key, whose confirm tag was compared.
    ///   - epoch: The epoch.
    package mutating func insert(_ key: EpochKey, for epoch: Hash) {
        keys[epoch] = key
    }

    /// Whether an envelope was tried in vain: one that did not open once never will.
    /// - Parameter envelope: Its hash, with that of its epoch.
    /// - Returns: Whether it was.
    package func hasRefused(_ envelope: Hash) -> Bool { refused.contains(envelope) }

    /// Remembers that an envelope does not open.
    /// - Parameter envelope: Its hash, with that of its epoch.
    package mutating func refuse(_ envelope: Hash) {
        refused.insert(envelope)
    }

    /// The place up to which a zone's statements about epochs were searched for keys that open here.
    /// - Parameter zone: The zone.
    /// - Returns: `nil` if none were searched.
    package func mark(of zone: ZoneID) -> EpochMark? { marks[zone] }

    /// Remembers the place up to which they were searched.
    /// - Parameters:
    ///   - mark: The place.
    ///   - zone: The zone.
    package mutating func keep(_ mark: EpochMark, of zone: ZoneID) {
        if marks[zone] != mark { marks[zone] = mark }
    }
}

/// A place among a zone's statements about epochs, in the order of their arrival.
package struct EpochMark: Hashable, Sendable {
    /// The device for which they were searched.
    package let device: DeviceID
    /// The number of statements before it.
    package let count: Int
    /// The hash that identifies these statements, with their order.
    package let hash: Hash

    /// Names a place.
    package init(device: DeviceID, count: Int, hash: Hash) {
        (self.device, self.count, self.hash) = (device, count, hash)
    }
}
