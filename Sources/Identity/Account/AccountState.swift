package import Sodium
package import Wire

/// The state that all entries of an account log together make.
package struct AccountState: Hashable, Sendable {
    /// The account.
    package let account: AccountID

    /// The name that the account has given itself; for people, and `nil` before a device has named it.
    ///
    /// Of the effective names, the newest in the order of the log: see ``AccountLog/naming(_:_:signer:using:)``.
    package let name: String?

    /// Every device ever added by an effective entry, including removed ones.
    package let devices: [DeviceID: DeviceEntry]

    /// The key whose entries outrank all devices.
    package let recoveryKey: VerifyingKey

    /// The keys that it replaced, newest first; they serve only to report that words were replaced.
    package let earlierRecoveryKeys: [VerifyingKey]

    /// The public half of the key from which zones with other accounts are derived; `nil` before a device has stated it.
    ///
    /// All devices of an account have the private half, so all state the same one. If there are several statements,
    /// that of the recovery key holds, then those of devices that belong to the account, then those of removed ones;
    /// of equal ones the first.
    package let pairKey: AgreementPublicKey?

    /// The keys by which the account's own devices find and call each other.
    package let fleet: FleetState

    /// Effective removals, by device, in the order of the log.
    ///
    /// A device can be here and not in ``devices``, if the entry that added it is ineffective.
    let removals: [DeviceID: [DeviceRemoval]]

    /// A device of the account.
    package struct DeviceEntry: Hashable, Sendable {
        /// The device's own statement of its keys: the newest in an effective entry.
        package let certificate: VerifiedCertificate
        /// The time at which the device was added, by the certificate that it came with: milliseconds since 1970 by
        /// its clock.
        package let addedMilliseconds: UInt64
        /// The role of the device.
        package let role: DeviceRole
        /// The device's name, for people: the newest in an effective entry, else the one with which the device was
        /// added.
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
        /// It was removed.
        case removed
    }

    /// The standing of a device in an account.
    package enum Standing: Hashable, Sendable {
        /// It belongs to the account.
        case active(DeviceRole)
        /// It belonged to the account, and never will again.
        case removed
        /// The log does not know it.
        case unknown
    }

    /// Returns the standing of a device in the account.
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

    /// The device that a removal by the recovery words names as its witness.
    ///
    /// The first device of the account, or one that has been in it for a day: the words are typed on devices that
    /// have only begun to fetch the operations of others, and would cut logs too short.
    /// - Parameters:
    ///   - device: The device on which the words are typed.
    ///   - wallMilliseconds: The time there, in milliseconds since 1970.
    /// - Returns: The device itself; `nil` if it is not known to hold everything that the others have.
    package func witness(of device: DeviceID, wallMilliseconds: UInt64) -> DeviceID? {
        guard let entry = devices[device] else { return nil }
        let isYoung =
            entry.addedMilliseconds.addingReportingOverflow(Self.youthMilliseconds).partialValue > wallMilliseconds
        return entry.addedAt > 0 && isYoung ? nil : device
    }

    /// How long a device is assumed to have only begun to fetch the operations of others, in milliseconds.
    private static let youthMilliseconds: UInt64 = 24 * 60 * 60 * 1_000

    /// Returns the devices whose statements on the effective size of a removed device's logs take precedence.
    ///
    /// The removals of the device name them.
    /// - Parameter device: A device.
    /// - Returns: Nothing for a device that was not removed.
    package func witnesses(of device: DeviceID) -> Set<DeviceID> {
        Set((removals[device] ?? []).compactMap(\.witness))
    }
}
