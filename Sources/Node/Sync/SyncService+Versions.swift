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

    /// Reports a session that was refused since its version is lower than the one that the device supports.
    func tellDowngraded(
        _ connection: any PeerConnection,
        of device: DeviceID,
        expected: ChannelVersion,
        isMember: Bool
    ) {
        // Of a member there is a health warning.
        dependencies.logger.log(
            level: isMember ? .info : .warning,
            "session refused: the channel's version is lower than the one that the device supports",
            metadata: [
                "peer.id": "\(device.shortText)", "peer.address": "\(connection.address)",
                "channel.version": "\(connection.handshake.version.rawValue)",
                "channel.expected": "\(expected.rawValue)",
            ]
        )
        guard isMember else { return }
        tellDowngrades()
        // Watchers look again.
        publishPeer(device)
    }

    /// Raises the warning about devices that were refused for their version, or clears it.
    func tellDowngrades() {
        guard !core.sessions.downgraded.isEmpty else {
            dependencies.replica.health.clear(Self.downgradeCode)
            return
        }
        let names = core.sessions.downgraded.sorted().map { device in
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
