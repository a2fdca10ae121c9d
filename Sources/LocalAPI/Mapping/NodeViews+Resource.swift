import FoundationEssentials
import KairanInterface
import Node
import Wire

extension NodeStatus: ResourceView {
    var resource: DaemonStatus {
        DaemonStatus(
            version: version,
            device: device.text,
            account: account.text,
            incarnation: incarnation.text,
            state: state,
            peers: peers,
            zones: zones,
            pending: pending,
            listeningPort: listeningPort.map(Int.init),
            health: health.map(\.resource)
        )
    }

    /// The part of the status that callers other than administrators may see.
    var bare: BareStatus { BareStatus(version: version, state: state) }
}

extension HealthWarning {
    fileprivate var resource: HealthNotice {
        HealthNotice(
            code: code,
            severity: severity.resource,
            message: message,
            fix: fix,
            isAcknowledged: isAcknowledged
        )
    }
}

extension HealthWarning.Severity {
    fileprivate var resource: HealthNotice.Severity { HealthNotice.Severity(rawValue: rawValue) }
}

extension CheckOutcome: ResourceView {
    var resource: HealthCheck {
        HealthCheck(
            code: code,
            isGood: isGood,
            severity: severity.resource,
            message: message,
            fix: fix,
            statements: statements.map(\.resource)
        )
    }
}

extension DeviceStatement {
    fileprivate var resource: HealthCheck.Statement {
        let outcome: HealthCheck.Statement.Outcome =
            switch outcome {
            case .reached: .reached
            case .refused: .refused
            case .silent: .silent
            case .notTried: .notTried
            }
        return HealthCheck.Statement(
            device: device.text,
            name: name,
            isOwn: isOwn,
            outcome: outcome,
            ageMilliseconds: Int(clamping: ageMilliseconds)
        )
    }
}

extension PeerStatus: ResourceView {
    var resource: Peer {
        Peer(
            device: device.text,
            account: account.text,
            name: name,
            state: state,
            address: address,
            via: via,
            trouble: trouble.map {
                Peer.Trouble(error: $0.error, since: Date(milliseconds: $0.sinceMilliseconds), fix: $0.fix)
            },
            silenceMilliseconds: silenceMilliseconds,
            roundTripMilliseconds: roundTripMilliseconds,
            skewMilliseconds: skewMilliseconds,
            role: role.resource,
            channelVersion: channelVersion.map { Int($0.rawValue) },
            channelPinned: pinnedVersion.map { Int($0.rawValue) },
            isPostQuantum: channelVersion.map(\.isPostQuantum),
            version: program?.version,
            revision: program.map { Int($0.revision) }
        )
    }
}

extension DeviceRole {
    var resource: Device.Role {
        switch self {
        case .full: .full
        case .relayOnly: .relayOnly
        case .readOnly: .readOnly
        }
    }
}

extension DeviceStatus: ResourceView {
    var resource: Device {
        Device(
            device: device.text,
            name: name,
            role: role.resource,
            addedAt: Date(milliseconds: addedMilliseconds),
            lastSeen: lastSeenMilliseconds.map(Date.init(milliseconds:)),
            isThis: isThis
        )
    }
}

extension AccountStatus: ResourceView {
    var resource: Account {
        Account(
            account: account.text,
            devices: devices.map(\.resource),
            removed: removed.map { NamedDevice(device: $0.device.text, name: $0.name) }
        )
    }
}

extension NamedAccountStatus: ResourceView {
    /// None: here the name is one of the resource's own members.
    static var leftOut: Set<String> { [] }

    var resource: NamedAccount {
        NamedAccount(account: account.text, name: name, petname: petname, displayName: displayName, isThis: isThis)
    }
}

extension DeviceName: ResourceView {
    var resource: NamedDevice { NamedDevice(device: device.text, name: name) }
}

extension PairingOfferStatus: ResourceView {
    var resource: PairingOffer {
        PairingOffer(ticket: ticket, expiresAt: Date(milliseconds: expiresMilliseconds))
    }
}

extension EnrolmentTokenStatus: ResourceView {
    var resource: EnrolmentToken {
        EnrolmentToken(
            token: token,
            uses: uses,
            expiresAt: Date(milliseconds: expiresMilliseconds),
            role: role.resource
        )
    }
}

extension PairingOutcome: ResourceView {
    var resource: PairingResult {
        PairingResult(account: account.text, device: device.text, name: name, words: words)
    }
}

extension Date {
    /// Makes a date from a time of the node.
    /// - Parameter milliseconds: Milliseconds since 1970.
    init(milliseconds: UInt64) { self.init(milliseconds: Int64(clamping: milliseconds)) }
}
