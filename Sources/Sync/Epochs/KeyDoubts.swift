import Wire

/// Requests for keys, and whose word they refute.
///
/// Whether an envelope holds a key, and whether a link leads to one, can be told by those alone who can open it. So others go by what its
/// author says, until a device asks for a key that it was given according to that.
struct KeyDoubts: Sendable, Equatable {
    /// What the devices that ask had seen when they did, by the epoch that they ask for.
    private var requests: [Hash: [DeviceID: [VersionVector]]] = [:]
    /// Whose word is refuted.
    private var authors: [Hash: [DeviceID: Set<ActorID>]] = [:]

    /// Whether nobody asks for anything.
    var isEmpty: Bool { requests.isEmpty }

    /// The epochs that devices ask for, with those devices.
    var asked: [(epoch: Hash, devices: [DeviceID])] {
        requests.map { (epoch: $0.key, devices: Array($0.value.keys)) }
    }

    /// Notes a request.
    /// - Parameters:
    ///   - epochs: The epochs of which the device lacks the keys.
    ///   - device: The device.
    ///   - seen: The control operations that it had seen.
    mutating func note(_ epochs: [Hash], by device: DeviceID, seen: VersionVector) {
        for epoch in epochs { requests[epoch, default: [:]][device, default: []].append(seen) }
    }

    /// Whether somebody asks for an epoch's key.
    func concern(_ epoch: Hash) -> Bool { requests[epoch] != nil }

    /// Whether a device asks for an epoch's key.
    func isAsked(for epoch: Hash, by device: DeviceID) -> Bool { requests[epoch]?[device] != nil }

    /// Whether a device that asks for a key had seen that somebody says to have given it.
    /// - Parameters:
    ///   - sayings: The operations that say so; to have seen one of them is enough.
    ///   - epoch: The epoch.
    ///   - device: The device.
    /// - Returns: False where it does not ask.
    private func refute(_ sayings: [Dot], of epoch: Hash, to device: DeviceID) -> Bool {
        (requests[epoch]?[device] ?? []).contains { seen in sayings.contains { seen[$0.actor] >= $0.counter } }
    }

    /// Notes whose word is refuted, of somebody who says to have given a key.
    /// - Parameters:
    ///   - author: The log in which it is said first.
    ///   - sayings: The operations that say so.
    ///   - epoch: The epoch.
    ///   - device: The device.
    mutating func weigh(_ author: ActorID, _ sayings: [Dot], of epoch: Hash, to device: DeviceID) {
        guard refute(sayings, of: epoch, to: device) else { return }
        authors[epoch, default: [:]][device, default: []].insert(author)
    }

    /// Whether a device has a key if somebody says to have given it.
    /// - Parameters: as of ``weigh(_:_:of:to:)``.
    /// - Returns: False where the device has denied it, or has denied before what this author says.
    func believe(_ author: ActorID, _ sayings: [Dot], of epoch: Hash, to device: DeviceID) -> Bool {
        concern(epoch) ? !refute(sayings, of: epoch, to: device) && !isDoubted(author, of: epoch, to: device) : true
    }

    /// Whether a device has denied that an author gave it a key: its word is believed no more about that.
    func isDoubted(_ author: ActorID, of epoch: Hash, to device: DeviceID) -> Bool {
        authors[epoch]?[device]?.contains(author) ?? false
    }
}
