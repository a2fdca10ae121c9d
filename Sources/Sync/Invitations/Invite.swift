package import Identity
import Records
package import Wire

/// An invitation as the account's book has it.
///
/// It is written once, by the device that made it, apart from the withdrawal, which any device can state and none can
/// undo.
package struct Invite: Hashable, Sendable {
    /// The state of an invitation.
    package enum State: String, Hashable, Sendable {
        /// It admits accounts.
        case open
        /// A person withdrew it.
        case withdrawn
        /// It has expired, by this device's clock.
        case expired
        /// As many accounts have joined as it was made for.
        case spent
        /// Its countersigner is gone: the device that made it no longer has all rights in the account, or the account
        /// no longer uses the relay.
        case orphaned
        /// The zone is no longer there.
        case zoneGone = "zone_gone"
    }

    /// The secret that the link carries.
    package let secret: InviteSecret
    /// The zone that the invitation is for.
    package let zone: ZoneID
    /// The terms of the invitation.
    package let terms: InviteTerms
    /// The device that made it.
    package let maker: DeviceID
    /// The device or relay that counts its uses.
    package let countersigner: Countersigner
    /// The time at which it was made, in milliseconds since 1970.
    package let made: UInt64
    /// Whether it was withdrawn.
    package internal(set) var isWithdrawn = false

    /// Names the invitation, in lists and on channels.
    /// - Returns: 16 bytes.
    package var identifier: [UInt8] { secret.identifier }

    /// ``identifier`` as people see it: 26 characters.
    package var text: String { Base32.encode(identifier) }

    package static func == (left: Self, right: Self) -> Bool {
        left.secret == right.secret && left.zone == right.zone && left.terms == right.terms
            && left.maker == right.maker && left.countersigner == right.countersigner && left.made == right.made
            && left.isWithdrawn == right.isWithdrawn
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(identifier)
    }
}

extension Invite: BookEntry {
    static let type = "invite"

    static func name(_ identifier: [UInt8]) -> String { prefix + Base32.encode(identifier) }

    var name: String { Self.name(identifier) }

    /// The field that a withdrawal sets.
    static let withdrawal = FieldAssignment.flag("withdrawn")

    var fields: [FieldAssignment] {
        [
            .bytes("secret", secret.exportBytes()), .bytes("zone", zone.bytes), .bytes("rights", terms.rights.encoded),
            .bytes("caveats", terms.caveats.encoded), .init(field: "uses", value: .int64(Int64(terms.uses))),
            .date("expires", terms.expires), .flag("approval", terms.needsApproval),
            .date("made", made),
        ] + counting + (isWithdrawn ? [Self.withdrawal] : [])
    }

    /// The fields that name the countersigner.
    ///
    /// An invitation that a relay counts has no `countersigner` field, so a version that knows of devices only cannot
    /// use it.
    private var counting: [FieldAssignment] {
        switch countersigner {
        case .device: [.bytes("countersigner", maker.bytes)]
        case .relay(let relay, let key):
            [.bytes("maker", maker.bytes), .bytes("relay", relay.bytes), .bytes("slots", key.exportBytes())]
        }
    }

    init?(_ body: RecordBody) {
        guard let secret = body.bytes("secret"), let zone: ZoneID = body.identifier("zone"),
            let rights = body.bytes("rights"), let caveats = body.bytes("caveats"),
            let uses = body.number("uses").flatMap({ UInt32(exactly: $0) }), let expires = body.date("expires"),
            let (maker, countersigner) = body.counting, let made = body.date("made")
        else { return nil }
        do {
            self.secret = try InviteSecret(bytes: secret)
            terms = InviteTerms(
                rights: try Rights(decoding: rights),
                caveats: try Caveats(decoding: caveats),
                uses: uses,
                expires: expires,
                needsApproval: body.isSaid("approval")
            )
        } catch {
            return nil
        }
        self.zone = zone
        self.maker = maker
        self.countersigner = countersigner
        self.made = made
        isWithdrawn = body.isSaid("withdrawn")
        guard body.name == name else { return nil }
    }
}

extension RecordBody {
    /// The device that made an invitation, and the party that counts its uses.
    fileprivate var counting: (maker: DeviceID, countersigner: Countersigner)? {
        if let maker: DeviceID = identifier("countersigner") { return (maker, .device) }
        guard let maker: DeviceID = identifier("maker"), let relay: RelayID = identifier("relay"),
            let key = bytes("slots").flatMap({ try? SlotKey(bytes: $0) })
        else { return nil }
        return (maker, .relay(relay, key))
    }
}
