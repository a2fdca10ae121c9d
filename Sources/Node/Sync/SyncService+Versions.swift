import Identity
import Logging
import Peering
import Session
import Sync
import Wire

// Versions of the channel: the highest version ever spoken with a device is the least that is accepted from it
// afterwards.
extension SyncService {
    private static let downgradeCode = "channel.downgraded"

    /// Remembers which version was spoken with a member, for good.
    func pin(_ device: DeviceID, at version: ChannelVersion) {
        guard directory.pin(device, at: version) else { return }
        _ = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
            try PeerMemory(replica.committer).spoke(version, with: device, in: &transaction)
        } completion: { [logger = dependencies.logger] result in
            guard case .failure(let error) = result else { return }
            logger.warning("version of the channel not stored", metadata: ["error": "\(error)"])
        }
    }

    /// Refuses a session in a lower version than the device speaks.
    ///
    /// The dial is treated as failed and not as refused: the machine in between may be gone a moment later.
    func refuseDowngrade(
        _ connection: any PeerConnection,
        of device: DeviceID,
        _ account: AccountID,
        expected: ChannelVersion
    ) {
        let version = connection.handshake.version.rawValue
        // Of a member there is a health warning.
        let isMember = routes.key(reaching: device, of: account) != nil
        dependencies.logger.log(
            level: isMember ? .info : .warning,
            "session refused: the channel's version is lower than the one that the device supports",
            metadata: [
                "peer.id": "\(device.shortText)", "peer.address": "\(connection.address)",
                "channel.version": "\(version)", "channel.expected": "\(expected.rawValue)",
            ]
        )
        if let dial = connection.dial {
            directory.dialFailed(dial, at: dependencies.clock.monotonic(), random: &random)
        }
        connection.close(code: SyncCloseCode.refused.rawValue)
        // Any account can make devices; only for members is anything stored, or shown to people.
        guard isMember else { return }
        pin(device, at: expected)
        downgraded.insert(device)
        tellDowngrades()
        // Watchers look again.
        publishPeer(device)
    }

    /// Notes a session with the device that is not downgraded.
    func noteUndisturbed(_ device: DeviceID) {
        guard downgraded.remove(device) != nil else { return }
        tellDowngrades()
    }

    private func tellDowngrades() {
        guard !downgraded.isEmpty else {
            dependencies.replica.health.clear(Self.downgradeCode)
            return
        }
        let names = downgraded.sorted().map { device in
            let name = dependencies.identity.accountState.devices[device]?.name ?? ""
            return name.isEmpty ? device.shortText : name
        }
        dependencies.replica.health.set(
            HealthWarning(
                code: Self.downgradeCode,
                severity: .warning,
                message: """
                    Refused in an older version of the channel than it speaks: \(names.joined(separator: ", ")). It runs an older \
                    program than before, or an attacker on the network suppresses the present version.
                    """,
                fix: "Update kairand there; if it is up to date, look at the network between the two."
            )
        )
    }
}
