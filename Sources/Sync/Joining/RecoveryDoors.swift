package import Identity
package import Wire

// The part of the recovery words that devices hold: who is answered, and what is taken over from others.
extension AccountKeyring {
    /// The words whose channel a device answers: the present ones, and those that were replaced, to say so.
    ///
    /// A removed device knows an old account, and would take whoever asks it there.
    /// - Parameters:
    ///   - account: What the account log says.
    ///   - device: The device.
    /// - Returns: Of the doors that it holds those that the log names.
    package func answeredDoors(of account: AccountState, by device: DeviceID) -> [RecoveryDoor] {
        guard case .active = account.standing(of: device) else { return [] }
        let known = [account.recoveryKey] + account.earlierRecoveryKeys
        return recoveryDoors.filter { known.contains($0.key) }
    }

    /// Takes what another device of the account holds of the recovery words.
    ///
    /// The first one for a key stays: a secret cannot be checked against the key.
    /// - Parameters:
    ///   - door: What was handed over.
    ///   - account: What the account log says.
    /// - Returns: The keyring from now on, the same one if it has a door of the present words; `nil` if the log does not name the key, or
    ///   not yet.
    package func taking(_ door: RecoveryDoor, of account: AccountState) -> AccountKeyring? {
        guard door.key == account.recoveryKey else { return nil }
        return recoveryDoors.contains { $0.key == door.key } ? self : answering(door)
    }

    /// The door of the present words, for the account's other devices; `nil` if this device was not handed it yet.
    /// - Parameter account: What the account log says.
    /// - Returns: Secret bytes.
    package func handedDoor(of account: AccountState) -> RecoverySecret? {
        recoveryDoors.first { $0.key == account.recoveryKey }?.export()
    }
}
