package import Wire

/// The keys of epochs that a process has opened, by epoch.
///
/// In memory only: where they come from, the envelopes in the control logs, is stored, and so they are opened again after a
/// start. It is part of a transaction all the same, and goes back with it: what opens a key also counts anew the records that
/// were locked until then.
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

    /// Whether an envelope was tried in vain: what did not open once never will.
    /// - Parameter envelope: Its hash, with that of its epoch.
    /// - Returns: Whether it was.
    package func hasRefused(_ envelope: Hash) -> Bool { refused.contains(envelope) }

    /// Remembers that an envelope does not open.
    /// - Parameter envelope: Its hash, with that of its epoch.
    package mutating func refuse(_ envelope: Hash) {
        refused.insert(envelope)
    }

    /// Up to where what a zone's control log tells of epochs was looked at for keys that open here.
    /// - Parameter zone: The zone.
    /// - Returns: `nil` where nothing was looked at.
    package func mark(of zone: ZoneID) -> EpochMark? { marks[zone] }

    /// Remembers up to where that was looked at.
    /// - Parameters:
    ///   - mark: Up to where.
    ///   - zone: The zone.
    package mutating func keep(_ mark: EpochMark, of zone: ZoneID) {
        if marks[zone] != mark { marks[zone] = mark }
    }
}

/// A place in what a zone's control log tells of epochs, in the order in which it came.
package struct EpochMark: Hashable, Sendable {
    /// For which device it was looked at.
    package let device: DeviceID
    /// How many statements come before it.
    package let count: Int
    /// Names them, with their order.
    package let hash: Hash

    /// Names a place.
    package init(device: DeviceID, count: Int, hash: Hash) {
        (self.device, self.count, self.hash) = (device, count, hash)
    }
}
