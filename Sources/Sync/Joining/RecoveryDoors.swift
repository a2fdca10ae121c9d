package import Identity
package import Wire

// The part of the recovery words that devices hold: the doors that they answer at, and those taken over from other
// devices.
extension AccountKeyring {
    /// The doors at which a device answers: that of the present words, and those of replaced words, to say so.
    ///
    /// A removed device knows an old account, and would lead a caller into that.
    /// - Parameters:
    ///   - account: The state of the account by its log.
    ///   - device: The device.
    /// - Returns: The doors of this device that the log names.
    package func answeredDoors(of account: AccountState, by device: DeviceID) -> [RecoveryDoor] {
        guard case .active = account.standing(of: device) else { return [] }
        let known = [account.recoveryKey] + account.earlierRecoveryKeys
        return recoveryDoors.filter { known.contains($0.key) }
    }

    /// Takes over the door of the recovery words from another device of the account.
    ///
    /// The first one for a key stays: a secret cannot be checked against the key.
    /// - Parameters:
    ///   - door: The door from the other device.
    ///   - account: The state of the account by its log.
    /// - Returns: The keyring from now on, the same one if it has a door of the present words; `nil` if the log does
    ///   not name the key, or not yet.
    package func taking(_ door: RecoveryDoor, of account: AccountState) -> AccountKeyring? {
        guard door.key == account.recoveryKey else { return nil }
        return recoveryDoors.contains { $0.key == door.key } ? self : answering(door)
    }

    /// The door of the present words, for the account's other devices; `nil` if this device has not received it yet.
    /// - Parameter account: The state of the account by its log.
    /// - Returns: Secret bytes.
    package func handedDoor(of account: AccountState) -> RecoverySecret? {
        recoveryDoors.first { $0.key == account.recoveryKey }?.export()
    }
}
