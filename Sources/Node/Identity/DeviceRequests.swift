import KairanInterface
import Identity
import Records
import Sync
import Wire

/// Answers requests about the devices of the account, and about the recovery words.
struct DeviceRequests: DeviceAPI {
    let store: CallerStore
    let sync: SyncService

    private var identity: NodeIdentity { store.identity }

    func account() async throws(NodeError) -> AccountStatus {
        let state = identity.accountState
        let connected = await sync.connectedDevices
        let (peers, known) = try await store.read { transaction in
            (try transaction.peers(), try DeviceTimes(store.committer).known(in: transaction))
        }
        var seen: [DeviceID: UInt64] = [:]
        for peer in peers where peer.lastSeenMilliseconds > 0 { seen[peer.device] = peer.lastSeenMilliseconds }
        for device in connected { seen[device] = store.commitService.clock.wall() }
        let devices = state.activeDevices.compactMap { device -> DeviceStatus? in
            guard let entry = state.devices[device] else { return nil }
            let since = known.since[KnownDevices.Key(device, of: state.account)]
            return DeviceStatus(
                device: device,
                name: entry.name,
                role: entry.role,
                addedMilliseconds: since ?? entry.addedMilliseconds,
                lastSeenMilliseconds: device == identity.device ? nil : seen[device],
                isThis: device == identity.device
            )
        }
        let removed = state.removedDevices.compactMap { device in
            state.devices[device].map { RemovedDeviceStatus(device: device, name: $0.name) }
        }
        return AccountStatus(account: identity.account, devices: devices, removed: removed)
    }

    func removeDevice(_ device: DeviceID, words: String?) async throws(NodeError) {
        guard device != identity.device else {
            throw NodeError(
                .deviceIsThis,
                "A device cannot remove itself.",
                fix: "Run `kairan device remove` on another device of the account."
            )
        }
        let key = try words.map(presentRecoveryKey)
        do {
            if let key {
                try identity.remove(device, by: key, wallMilliseconds: store.commitService.clock.wall())
            } else {
                try identity.remove(device)
            }
        } catch AccountError.unknownDevice, AccountError.deviceRemoved {
            throw NodeError(
                .deviceUnknown,
                "The account has no active device \(device.text).",
                fix: "`kairan device ls` lists the devices."
            )
        } catch let error as AccountError {
            throw NodeError(
                .forbidden,
                "The account refuses the removal: \(error).",
                fix:
                    "Only a device with the role full may remove others, and one such device must stay; with the recovery words"
                    + " any device can be removed: `kairan device remove \(device.shortText) --words`."
            )
        } catch {
            throw store.told(error)
        }
        sync.facts.put(.accountChanged)
    }

    func replaceRecoveryWords(words: String) async throws(NodeError) -> [String] {
        let key = try presentRecoveryKey(of: words)
        let replaced: [String]
        do {
            replaced = try identity.replaceRecoveryWords(by: key)
        } catch AccountError.otherRecoveryKey {
            throw Self.recoveryReplaced
        } catch {
            throw store.told(error)
        }
        sync.facts.put(.accountChanged)
        return replaced
    }

    /// The key of this account's present recovery words.
    private func presentRecoveryKey(of words: String) throws(NodeError) -> RecoveryKey {
        let key = try AccountRecovery.recoveryKey(of: words)
        let state = identity.accountState
        if state.recoveryKey == key.publicKey { return key }
        if state.earlierRecoveryKeys.contains(key.publicKey) { throw Self.recoveryReplaced }
        throw NodeError(
            .recoveryOtherAccount,
            "These recovery words are another account's, or were never valid here.",
            fix: "Use the words of this account; `kairan account show` names it."
        )
    }

    private static var recoveryReplaced: NodeError {
        NodeError(
            .recoveryReplaced,
            "These recovery words were replaced by others.",
            fix: "Use the newest ones."
        )
    }

    func recoveryPhrase() async throws(NodeError) -> [String] {
        do {
            guard let words = try identity.recoveryWords() else {
                throw NodeError(
                    .recoveryUnavailable,
                    "This device does not keep the recovery words.",
                    fix: "They are kept on the device that made the account, or on paper."
                )
            }
            return words
        } catch {
            throw store.told(error)
        }
    }

    func recoverAccount(words: String, account: String?) async throws(NodeError) -> PairingOutcome {
        try await AccountRecovery(sync).recover(words: words, account: account)
    }
}
