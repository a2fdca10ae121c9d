package import Wire

/// The node's interface for the account: its devices, and the recovery words, which outrank them.
package protocol DeviceAPI: Sendable {
    /// The account with its devices, in the order in which they were added.
    func account() async throws(NodeError) -> AccountStatus
    /// Removes a device from the account for good: its sessions end, and its later writes are quarantined.
    /// - Parameters:
    ///   - device: The device.
    ///   - words: The recovery words, if they are to sign the removal; `nil` = this device signs it. No device can undo a
    ///     removal by the words. If the removed device had removed this one, that removal has no effect any more.
    /// - Throws: `deviceUnknown`, `deviceIsThis`, `forbidden`; with words also `recoveryMalformed`, `recoveryReplaced`,
    ///   `recoveryOtherAccount`.
    func removeDevice(_ device: DeviceID, words: String?) async throws(NodeError)
    /// Replaces the recovery words: devices that have learnt of it no longer accept the old ones for anything.
    /// - Parameter words: The present words.
    /// - Returns: The new words, which this device keeps.
    /// - Throws: `recoveryMalformed`, `recoveryReplaced`, `recoveryOtherAccount`.
    func replaceRecoveryWords(words: String) async throws(NodeError) -> [String]
    /// The 24 words that outrank every device.
    /// - Throws: `recoveryUnavailable` on a device that does not keep them.
    func recoveryPhrase() async throws(NodeError) -> [String]
    /// Joins the account of these recovery words with the help of any device of it; takes up to about a minute while it
    /// looks for one.
    /// - Parameters:
    ///   - words: 24 words in one text; case and the kind of white space do not matter.
    ///   - account: The account's id or its first 16 characters or more; devices of other accounts are passed over.
    /// - Returns: The device that added this one to the account.
    /// - Throws: `recoveryMalformed`, `recoveryNotFound`, `recoveryReplaced`, `recoveryNotNeeded`, `accountHasDevices`.
    func recoverAccount(words: String, account: String?) async throws(NodeError) -> PairingOutcome
}
