package import Sodium
package import Wire

/// What an account log says when all of its entries are taken together.
package struct AccountState: Hashable, Sendable {
    /// Which account.
    package let account: AccountID

    /// Every device that an entry that counts has brought in, the removed ones included.
    package let devices: [DeviceID: DeviceEntry]

    /// The key whose entries outrank all devices.
    package let recoveryKey: VerifyingKey

    /// The keys that were in its place before, newest first: what is left of them is that one can say so.
    package let earlierRecoveryKeys: [VerifyingKey]

    /// The public half of the key from which zones with other accounts are derived; `nil` before a device has stated it.
    ///
    /// All devices of an account have the private half, so all state the same one. If there are several statements the
    /// recovery key's counts, then those of devices that belong to the account, then those of removed ones; of equal ones the
    /// first.
    package let pairKey: AgreementPublicKey?

    /// The keys by which the account's own devices find and call each other.
    package let fleet: FleetState

    /// Removals that count, by device, in the order of the log.
    ///
    /// A device can be here and not in ``devices``, if what brought it in does not count.
    let removals: [DeviceID: [DeviceRemoval]]

    /// A device of the account.
    package struct DeviceEntry: Hashable, Sendable {
        /// The device's own statement of its keys: the newest that an entry that counts has.
        package let certificate: VerifiedCertificate
        /// When the device was let in, by the certificate that it came with: milliseconds since 1970 by its clock.
        package let addedMilliseconds: UInt64
        /// What the device may do.
        package let role: DeviceRole
        /// The name by which the device was let in; for people.
        package let name: String
        /// The place among the account's devices in the order of the log, 0 for the first.
        package let addedAt: Int
        /// Whether it still belongs to the account.
        package let status: DeviceStatus
    }

    /// Whether a device still belongs to an account.
    package enum DeviceStatus: Hashable, Sendable {
        /// It does.
        case active
        /// It was removed; the cuts of each removal that counts. See ``AccountState/cut(for:device:lane:zone:)``.
        case removed(cuts: [AccountCuts])
    }

    /// What an account makes of a device.
    package enum Standing: Hashable, Sendable {
        /// It belongs to the account.
        case active(DeviceRole)
        /// It did, and never will again.
        case removed
        /// The log does not know it.
        case unknown
    }

    /// What the account makes of a device.
    /// - Parameter device: Any device.
    /// - Returns: Its standing now.
    package func standing(of device: DeviceID) -> Standing {
        if removals[device] != nil { return .removed }
        guard let entry = devices[device] else { return .unknown }
        return .active(entry.role)
    }

    /// The devices that belong to the account, earliest first.
    /// - Complexity: O(n log n).
    package var activeDevices: [DeviceID] {
        devices.filter { $0.value.status == .active }
            .sorted { $0.value.addedAt < $1.value.addedAt }
            .map(\.key)
    }

    /// The devices that were removed from the account, earliest added first.
    /// - Complexity: O(n log n).
    package var removedDevices: [DeviceID] {
        devices.filter { $0.value.status != .active }
            .sorted { $0.value.addedAt < $1.value.addedAt }
            .map(\.key)
    }

    /// The active devices with all rights, earliest first.
    package var fullDevices: [DeviceID] {
        activeDevices.filter { devices[$0]?.role == .full }
    }

    /// How much of one of a device's logs counts.
    ///
    /// The smallest of the cuts, if several removals count. Equal sizes with unequal roots, which only a fork of the
    /// log gives, are decided for the smaller root: any choice will do that is the same everywhere.
    /// - Parameters:
    ///   - actor: The log's actor.
    ///   - device: The device that the actor is an incarnation of.
    ///   - lane: The log's lane.
    ///   - zone: The log's zone.
    /// - Returns: ``LogCut/none`` for a device of the account, ``LogCut/zero`` for one that the account does not know.
    /// - Complexity: O(removals · log cuts) and one hash for each removal.
    package func cut(for actor: ActorID, device: DeviceID, lane: Lane, zone: ZoneID) -> LogCut {
        guard let removals = removals[device] else { return devices[device] == nil ? .zero : .none }
        var least: LogPosition?
        for removal in removals {
            guard let position = removal.position(actor: actor, lane: lane, zone: zone), position.size > 0 else {
                return .zero
            }
            if let current = least, (current.size, current.root) <= (position.size, position.root) { continue }
            least = position
        }
        guard let least else { return .zero }
        return .at(size: least.size, root: least.root)
    }
}
