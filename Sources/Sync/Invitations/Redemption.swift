import Records
package import Wire

/// The state of an account's request to join by an invitation.
///
/// There is one record for each account and invitation, whichever devices were asked, and however often. Each field
/// is set once and never cleared. A denial overrides a concurrent approval, unless the right was granted already.
package struct Redemption: Hashable, Sendable {
    /// The asking account and the invitation.
    package struct ID: Hashable, Sendable {
        /// The invitation's identifier.
        package let invite: [UInt8]
        /// The account.
        package let account: AccountID

        /// Names a request.
        package init(invite: [UInt8], account: AccountID) {
            self.invite = invite
            self.account = account
        }

        /// As people see it: the invitation, a dot, and the account.
        package var text: String { Base32.encode(invite) + "." + account.text }
    }

    /// The asking account and the invitation.
    package let id: ID
    /// The device that asked first.
    package let device: DeviceID
    /// The time of the first request, in milliseconds since 1970, by the clock of the device that answered.
    package let asked: UInt64
    /// Whether a person approved it.
    package internal(set) var isApproved = false
    /// Whether a person denied it.
    package internal(set) var isDenied = false
    /// The capability that was granted.
    package internal(set) var granted: Hash?

    init(id: ID, device: DeviceID, asked: UInt64) {
        self.id = id
        self.device = device
        self.asked = asked
    }
}

extension Redemption: BookEntry {
    static let type = "redemption"

    /// The prefix of the names of all requests by one invitation.
    static func prefix(_ invite: [UInt8]) -> String { prefix + Base32.encode(invite) + "/" }

    var name: String { id.name }

    /// The field that an approval sets.
    static let approval = FieldAssignment.flag("approved")

    /// The field that a denial sets.
    static let denial = FieldAssignment.flag("denied")

    var fields: [FieldAssignment] {
        var fields: [FieldAssignment] = [
            .bytes("invite", id.invite), .bytes("account", id.account.bytes), .bytes("device", device.bytes),
            .date("asked", asked),
        ]
        if isApproved { fields.append(Self.approval) }
        if isDenied { fields.append(Self.denial) }
        if let granted { fields.append(Self.grant(granted)) }
        return fields
    }

    /// The field that a grant sets.
    static func grant(_ capability: Hash) -> FieldAssignment { .bytes("granted", capability.bytes) }

    init?(_ body: RecordBody) {
        guard let invite = body.bytes("invite"), let account: AccountID = body.identifier("account"),
            let device: DeviceID = body.identifier("device"), let asked = body.date("asked")
        else { return nil }
        self.init(id: ID(invite: invite, account: account), device: device, asked: asked)
        isApproved = body.isSaid("approved")
        isDenied = body.isSaid("denied")
        granted = body.identifier("granted")
        guard body.name == name else { return nil }
    }
}

extension Redemption.ID {
    /// The record's name.
    var name: String { Redemption.prefix(invite) + account.text }
}
