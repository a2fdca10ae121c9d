import Wire

/// The facts on which an ``EpochPlan`` depends.
struct EpochFacts {
    /// The zone's epochs.
    let graph: EpochGraph
    /// The devices that may read, with their accounts.
    let readers: [DeviceID: AccountID]
    /// The extent of the past that later readers get.
    let history: ZoneHistory
    /// The device that plans.
    let device: DeviceID
    /// The log in which that device makes statements about keys; `nil` where it may not.
    let author: ActorID?
    /// Whether the operation that begins an epoch is effective.
    let counts: (Hash) -> Bool
    /// Whether a device has stated a key to which secrets can be sealed; asked at most once of each
    /// device, and only of those that lack something.
    let isAddressable: (DeviceID) -> Bool
    /// Whether the key of an epoch is open here.
    let isOpen: (Hash) -> Bool
    /// Whether the operation that begins an epoch is applied here, with all that its author had seen.
    ///
    /// The author may have begun it because of a removal that is not known here yet: such a key is
    /// delivered to no device.
    let isApplied: (EpochGraph.Epoch) -> Bool
    /// Whether the control operations of a vector are applied here.
    let hasSeen: (VersionVector) -> Bool

    /// Whether the key of an epoch can be used and delivered here.
    func isUsable(_ hash: Hash) -> Bool { isOpen(hash) && graph.epochs[hash].map(isApplied) ?? false }
}
