import KairanClient

// The participants of a zone, formatted for people.
extension ShareCommand {
    static func text(_ share: Share, style: Style) -> String {
        var table = Table([.text("ACCOUNT"), .text("RIGHTS"), .text("SINCE"), .text("BY"), .text("DEVICES")])
        table.add([
            Table.Cell(style.account(share.owner.account)), "owner", "", "", Table.Cell(names(share.owner.devices)),
        ])
        for participant in share.participants {
            let strongest = participant.capabilities.first
            table.add([
                Table.Cell(style.account(participant.account)) { participant.isThis ? $0.bold($1) : $1 },
                Table.Cell(sentence(participant)),
                Table.Cell(style.time(participant.since)),
                Table.Cell(strongest.map { style.account($0.issuer) } ?? ""),
                Table.Cell(names(participant.devices)),
            ])
        }
        var parts = [table.text(style: style, empty: "")]
        if let transfer = share.transfer { parts.append(text(transfer, style: style)) }
        if !share.invites.isEmpty { parts.append(text(share.invites, style: style)) }
        if !share.requests.isEmpty { parts.append(text(share.requests, style: style)) }
        let open = share.publicAccess
        if !(open.world + open.authenticated + open.creator).isEmpty { parts.append(text(open)) }
        if !share.waitsFor.isEmpty {
            let accounts = share.waitsFor.map(style.account).joined(separator: ", ")
            parts.append("Not known yet: the devices of \(accounts); their operations wait.")
        }
        return parts.joined(separator: "\n\n")
    }

    private static func text(_ transfer: ZoneTransfer, style: Style) -> String {
        let account = style.account(transfer.account)
        return switch transfer.state {
        case .accepted:
            "\(account) has accepted the zone, and owns it once the device that offered it learns of the acceptance."
        case .declined:
            "The zone is offered to \(account), which has declined: `kairan share transfer --cancel` withdraws the offer."
        default:
            "The zone is offered to \(account): `kairan share accept` there accepts it, `kairan share decline` declines it."
        }
    }

    private static func text(_ invites: [Invitation], style: Style) -> String {
        var table = Table([
            .text("INVITATION"), .text("RIGHTS"), .number("JOINED"), .text("UNTIL"), .text("STATE"), .text("DEVICE"),
        ])
        for invite in invites {
            let state = invite.state.text
            table.add([
                Table.Cell(style.id(invite.invite)), Table.Cell(invite.rights.rawValue),
                "\(invite.taken) of \(invite.uses)",
                Table.Cell(style.time(invite.expiresAt)),
                Table.Cell(invite.needsApproval && invite.state == .open ? "open, needs approval" : state),
                Table.Cell(invite.relay.map { "any, by relay \(style.id($0))" } ?? style.device(invite.device)),
            ])
        }
        return table.text(style: style, empty: "")
    }

    private static func text(_ requests: [JoinRequest], style: Style) -> String {
        var table = Table([.text("ASKS TO JOIN"), .text("SINCE"), .text("BY INVITATION"), .text("WAITS FOR")])
        for request in requests {
            table.add([
                Table.Cell(style.account(request.account)), Table.Cell(style.time(request.askedAt)),
                Table.Cell(style.id(request.invite)),
                Table.Cell(request.waitsFor == .approval ? "your approval" : "the device that invited, or the relay"),
            ])
        }
        return table.text(style: style, empty: "")
    }

    /// Describes the rights of a participant, with the limits of its strongest right.
    static func sentence(_ participant: Participant) -> String {
        var parts = [participant.rights.rawValue]
        if participant.mayDelegate { parts.append("may delegate") }
        if let strongest = participant.capabilities.first {
            if !strongest.types.isEmpty { parts.append("only " + strongest.types.joined(separator: ", ")) }
            if !strongest.prefix.isEmpty { parts.append("only \(strongest.prefix)…") }
            if let end = strongest.expiresAt { parts.append("until \(Words.time(end))") }
        }
        return parts.joined(separator: "; ")
    }

    static func text(_ access: PublicAccess) -> String {
        let lines = [
            ("world", access.world), ("known accounts", access.authenticated), ("creators", access.creator),
        ]
        let said = lines.map { who, rights in
            "\(who): \(rights.isEmpty ? "nothing" : rights.map(\.rawValue).joined(separator: ", "))"
        }
        return (said + (access.link.map { ["link: \($0)"] } ?? [])).joined(separator: "\n")
    }

    static func text(_ revocation: Revocation, style: Style = .plain) -> String {
        let accounts = revocation.revoked.map(style.account).joined(separator: ", ")
        var parts = [revocation.revoked.isEmpty ? "No right ended." : "Rights ended: \(accounts)."]
        if !revocation.kept.isEmpty {
            let kept = revocation.kept.map(style.account).joined(separator: ", ")
            parts.append("Kept, by rights of your own account: \(kept).")
        }
        if revocation.epoch != nil, !revocation.revoked.isEmpty {
            parts.append("They cannot read later operations, and keep the data that they have.")
        }
        if revocation.quarantined > 0 {
            let writes = Words.count(revocation.quarantined, "write waits", "writes wait")
            parts.append("\(writes) in quarantine; `kairan quarantine ls` lists them.")
        }
        if revocation.remaining != .none {
            parts.append(
                "It keeps the right \(revocation.remaining) from others; only they and the owner can revoke it."
            )
        }
        return parts.joined(separator: " ")
    }

    private static func names(_ devices: [NamedDevice]) -> String {
        devices.isEmpty ? "not known here" : devices.map(\.name).joined(separator: ", ")
    }
}
