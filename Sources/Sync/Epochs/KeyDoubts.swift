import Wire

/// Requests for keys, and the claims that they refute.
///
/// Only a device that can open an envelope can tell whether it holds a key, and the same is true of a link. So other
/// devices believe the author's claim, until a device asks for a key that it received by that claim.
struct KeyDoubts: Sendable, Equatable {
    /// The control operations that the asking devices had seen when they asked, by the epoch that they ask for.
    private var requests: [Hash: [DeviceID: [VersionVector]]] = [:]
    /// The authors whose claims are refuted, by epoch and device.
    private var authors: [Hash: [DeviceID: Set<ActorID>]] = [:]

    /// Whether no device asks for a key.
    var isEmpty: Bool { requests.isEmpty }

    /// The epochs that devices ask for, with those devices.
    var asked: [(epoch: Hash, devices: [DeviceID])] {
        requests.map { (epoch: $0.key, devices: Array($0.value.keys)) }
    }

    /// Notes a request.
    /// - Parameters:
    ///   - epochs: The epochs whose keys the device lacks.
    ///   - device: The device.
    ///   - seen: The control operations that it had seen.
    mutating func note(_ epochs: [Hash], by device: DeviceID, seen: VersionVector) {
        for epoch in epochs { requests[epoch, default: [:]][device, default: []].append(seen) }
    }

    /// Whether a device asks for an epoch's key.
    func concern(_ epoch: Hash) -> Bool { requests[epoch] != nil }

    /// Whether a device asks for an epoch's key.
    func isAsked(for epoch: Hash, by device: DeviceID) -> Bool { requests[epoch]?[device] != nil }

    /// Whether a device that asks for a key had seen a claim that it was given the key.
    /// - Parameters:
    ///   - sayings: The operations that make the claim; to have seen one of them is enough.
    ///   - epoch: The epoch.
    ///   - device: The device.
    /// - Returns: False where it does not ask.
    private func refute(_ sayings: [Dot], of epoch: Hash, to device: DeviceID) -> Bool {
        (requests[epoch]?[device] ?? []).contains { seen in sayings.contains { seen[$0.actor] >= $0.counter } }
    }

    /// Notes an author as refuted, if the device asked for the key after it had seen the author's claim.
    /// - Parameters:
    ///   - author: The log in which the claim was made first.
    ///   - sayings: The operations that make the claim.
    ///   - epoch: The epoch.
    ///   - device: The device.
    mutating func weigh(_ author: ActorID, _ sayings: [Dot], of epoch: Hash, to device: DeviceID) {
        guard refute(sayings, of: epoch, to: device) else { return }
        authors[epoch, default: [:]][device, default: []].insert(author)
    }

    /// Whether an author's claim to have given a device a key is believed.
    /// - Parameters: as of ``weigh(_:_:of:to:)``.
    /// - Returns: False where the device has denied it, or has denied an earlier claim of this author.
    func believe(_ author: ActorID, _ sayings: [Dot], of epoch: Hash, to device: DeviceID) -> Bool {
        concern(epoch) ? !refute(sayings, of: epoch, to: device) && !isDoubted(author, of: epoch, to: device) : true
    }

    /// Whether a device has denied that an author gave it a key: the author's claims about that are no longer
    /// believed.
    func isDoubted(_ author: ActorID, of epoch: Hash, to device: DeviceID) -> Bool {
        authors[epoch]?[device]?.contains(author) ?? false
    }
}
