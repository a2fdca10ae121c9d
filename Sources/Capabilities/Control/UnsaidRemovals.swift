import Identity
package import Wire

/// The removed devices of an account whose cuts under one of its rights no standing device has stated.
package struct UnsaidRemovals: Hashable, Sendable {
    /// The right.
    package let right: Hash
    /// The devices, ascending.
    package let devices: [DeviceID]

    init(right: Hash, devices: [DeviceID]) {
        (self.right, self.devices) = (right, devices)
    }
}

extension ControlState {
    /// Returns the removed devices of an account whose cuts have to be stated in the zone, by right.
    ///
    /// This includes devices that wrote nothing here: until a cut is stated, everything that they may still write is
    /// effective.
    /// - Parameters:
    ///   - account: The account.
    ///   - removed: Its removed devices.
    /// - Returns: Nothing for rights that the account no longer has.
    /// - Complexity: O(rights · devices).
    package func unsaidRemovals(of account: AccountID, removed: [DeviceID]) -> [UnsaidRemovals] {
        if removed.isEmpty { return [] }
        let rights = ownership(of: account).map { [$0.right] } ?? participants[account]?.capabilities.sorted() ?? []
        return rights.compactMap { right in
            let devices = removed.filter { deviceCuts[right]?[$0]?.isStanding != true }.sorted()
            return devices.isEmpty ? nil : UnsaidRemovals(right: right, devices: devices)
        }
    }
}
