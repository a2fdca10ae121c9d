package import Identity
package import Sodium
package import Wire

/// Decides about a channel that was opened: which device is at the other end, and whether it may stay.
///
/// A value of one moment: the device and the account log that it is asked about are given when it is made.
package struct PeerGate: Sendable {
    /// A channel as the handshake left it.
    package struct Channel: Sendable {
        /// Its number.
        package var session: SessionID
        /// The other side's payload in the handshake.
        package var payload: [UInt8]
        /// The key that the other side proved.
        package var staticKey: AgreementPublicKey
        /// The handshake hash.
        package var binding: [UInt8]
        /// Whether this side dialled.
        package var isInitiator: Bool
        /// The door under which it was made.
        package var door: Door
        /// The version of the channel that it speaks.
        package var version: ChannelVersion
        /// The highest version that the other side states.
        package var remoteNewest: ChannelVersion
        /// The revision of the protocol's messages that the other side states; 0 where it states none.
        package var remoteRevision: UInt8

        /// Describes a channel.
        package init(
            session: SessionID,
            payload: [UInt8],
            staticKey: AgreementPublicKey,
            binding: [UInt8],
            isInitiator: Bool,
            door: Door,
            version: ChannelVersion,
            remoteNewest: ChannelVersion,
            remoteRevision: UInt8 = 0
        ) {
            self.session = session
            self.payload = payload
            self.staticKey = staticKey
            self.binding = binding
            self.isInitiator = isInitiator
            self.door = door
            self.version = version
            self.remoteNewest = remoteNewest
            self.remoteRevision = remoteRevision
        }
    }

    /// The key under which a channel is made: a filter, and no right.
    package enum Door: Sendable, Hashable {
        /// The account's key.
        case account
        /// An earlier key of the account, which the present one replaced.
        case earlier
        /// A pairing ticket, or another way by which new devices join the account.
        case joining
        /// The key known to the accounts that share a zone.
        case zone(ZoneID)
        /// An invitation to take part in a zone.
        case invitation
    }

    /// The decision about a channel.
    package enum Decision: Sendable {
        /// It has no certificate that is bound to the channel: it is closed without a reason, since a device that
        /// holds the key and still shows a wrong certificate is up to no good.
        case violation
        /// This device has reached itself: it is closed without a word, and never dialled again.
        case ourselves
        /// The channel speaks a lower version than both sides can, or than was ever spoken with the device: an
        /// attacker in between may be the cause, or an older program on the device. It is refused.
        case downgraded(DeviceID, of: AccountID, expected: ChannelVersion)
        /// A device that wants to join: pairing checks its evidence.
        case newcomer(VerifiedCertificate, HandshakePayload)
        /// A device about an invitation, from either side: sharing checks the invitation.
        case invitee(VerifiedCertificate, HandshakePayload)
        /// The device is of an account that has no business at this door, or is blocked, and is refused.
        case otherAccount(AccountID)
        /// A member, a device that claims to be one and is not known here yet, or a removed one: with the last two
        /// only the account's log is exchanged.
        case member(SessionOpening, HandshakePayload)
    }

    private let device: DeviceID
    private let log: AccountLog
    private let contacts: [AccountID: AccountLog]
    private let parties: [ZoneID: Set<AccountID>]
    private let open: Set<ZoneID>
    private let blocked: Set<AccountID>
    private let newest: ChannelVersion
    private let pins: [DeviceID: ChannelVersion]

    /// Makes a gate.
    /// - Parameters:
    ///   - device: This device.
    ///   - log: The log of its account, as it holds it.
    ///   - contacts: The logs of other accounts.
    ///   - parties: The accounts that take part in a zone, or did, for zones of several.
    ///   - open: Zones in which this account takes part and that everyone may read.
    ///   - blocked: The accounts that this one has blocked.
    ///   - newest: The highest version of the channel that this device speaks.
    ///   - pins: The highest version that was ever spoken with a device.
    package init(
        device: DeviceID,
        log: AccountLog,
        contacts: [AccountID: AccountLog] = [:],
        parties: [ZoneID: Set<AccountID>] = [:],
        open: Set<ZoneID> = [],
        blocked: Set<AccountID> = [],
        newest: ChannelVersion = .newest,
        pins: [DeviceID: ChannelVersion] = [:]
    ) {
        self.device = device
        self.log = log
        self.contacts = contacts
        self.parties = parties
        self.open = open
        self.blocked = blocked
        self.newest = newest
        self.pins = pins
    }

    /// Decides about a channel.
    /// - Parameter channel: The channel as the handshake left it.
    /// - Returns: The decision.
    package func decide(_ channel: Channel) -> Decision {
        // It makes no difference which part is wrong.
        guard let payload = try? HandshakePayload(decoding: channel.payload),
            let certificate = try? VerifiedCertificate(bytes: payload.certificate),
            certificate.isBound(to: channel.staticKey)
        else { return .violation }
        guard certificate.device != device else { return .ourselves }
        let expected = max(min(newest, channel.remoteNewest), pins[certificate.device] ?? .classical)
        guard channel.version >= expected else {
            return .downgraded(certificate.device, of: payload.account, expected: expected)
        }
        // First of all: a blocked account finds no door open, whatever secret it has.
        guard !blocked.contains(payload.account) else { return .otherAccount(payload.account) }
        if channel.door == .joining { return .newcomer(certificate, payload) }
        guard isWelcome(payload.account, at: channel.door) else { return .otherAccount(payload.account) }
        if channel.door == .invitation { return .invitee(certificate, payload) }
        let log = payload.account == log.account ? log : contacts[payload.account]
        let standing = log.map { Standing($0.state.standing(of: certificate.device)) } ?? .unknown
        let opening = SessionOpening(
            session: channel.session,
            device: certificate.device,
            account: payload.account,
            standing: standing,
            accountHeads: payload.accountHeads,
            binding: channel.binding,
            isInitiator: channel.isInitiator,
            isByEarlierKey: channel.door == .earlier,
            remoteRevision: channel.remoteRevision
        )
        return .member(opening, payload)
    }

    /// Whether an account has business here.
    private func isWelcome(_ account: AccountID, at door: Door) -> Bool {
        if account == log.account { return door != .invitation }
        switch door {
        case .account, .earlier, .joining: return false
        case .zone(let zone): return open.contains(zone) || parties[zone]?.contains(account) == true
        case .invitation: return true
        }
    }
}

extension Standing {
    /// Makes the standing from that in the account log.
    package init(_ standing: AccountState.Standing) {
        switch standing {
        case .active: self = .active
        case .removed: self = .removed
        case .unknown: self = .unknown
        }
    }

    /// The standing of each device that the account log knows.
    /// - Parameter account: The state of the account by its log.
    /// - Returns: The standings, by device.
    package static func all(in account: AccountState) -> [DeviceID: Standing] {
        account.devices.keys.reduce(into: [:]) { $0[$1] = Standing(account.standing(of: $1)) }
    }
}
