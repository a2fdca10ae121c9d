import Identity
import Peering
import Sodium
import Sync
import Wire

/// The law that a device joins by a valid key, with the keys that people gave to joining machines,
/// and the devices that these keys let in.
struct JoiningLedger {
    /// One such key.
    struct Offer {
        /// The number of devices that it lets in.
        let uses: Int
        /// The time at which it ends, by the wall clock of the device that made it.
        let end: UInt64
        /// Devices that it has let in.
        var admitted: Set<DeviceID> = []
    }

    /// The keys by their names, without the recovery words, which the account log names.
    private(set) var offers: [JoiningKey: Offer] = [:]

    /// Records that a ticket or a token was made.
    mutating func made(_ key: JoiningKey, uses: Int, end: UInt64) { offers[key] = Offer(uses: uses, end: end) }

    /// Records that a device was let in.
    /// - Returns: The fault; `nil` if there is none.
    mutating func admitted(_ device: DeviceID, by key: JoiningKey, at wall: UInt64) -> String? {
        guard let offer = offers[key] else { return "by a key that was never made" }
        guard wall < offer.end else { return "by an expired key" }
        offers[key]?.admitted.insert(device)
        guard offer.admitted.union([device]).count <= offer.uses else { return "by a key that is used up" }
        return nil
    }

    /// Checks the key by which a node has let a device into its account.
    mutating func admitted(_ link: JoiningLink, by node: SimulatedNode) throws {
        let device = link.certificate.device
        var fault: String?
        if case .recovery(let key) = link.key {
            if key != node.process?.log.state.recoveryKey.bytes { fault = "by replaced words" }
        } else {
            fault = admitted(device, by: link.key, at: node.wallMilliseconds)
        }
        guard let fault else { return }
        throw Violation(.joining, at: node, "the device \(device.shortText) is admitted \(fault)")
    }
}
