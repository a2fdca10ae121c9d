import ArgumentParser
import KairanClient

extension ShareCommand {
    /// Invites.
    struct ShareInvite: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "invite",
            abstract: "Make a link by which others can join a zone.",
            discussion: """
                Send it only to the accounts that you mean: any account that has it may ask to join. Only this device admits accounts \
                by it, so it has to be on, or to come back; with --by-relay any device of the account does, once a relay that it uses \
                has counted the use. With --approve you also have to approve each account. Inviting again under the same terms shows \
                the link that is open.

                EXAMPLES:
                  kairan share invite notes --rights write
                  kairan share invite notes --rights read --uses 20 --expires 30d --approve
                  kairan share invite notes --rights write --by-relay
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String
        @OptionGroup var terms: ShareTermsOptions
        @Option(help: "The number of accounts that may join by it, 1 to 1000.")
        var uses = 1
        @Option(help: ArgumentHelp("The time for which it is valid: 1m to 30d.", valueName: "time"))
        var expires = Lifetime(seconds: 604_800)
        @Flag(help: "A person has to approve each account.")
        var approve = false
        @Flag(help: "A relay that the account uses counts the uses; this device may be off.")
        var byRelay = false
        @Option(
            help: ArgumentHelp(
                "An address of this machine, for networks in which it is not found by mDNS; may be given 4 times.",
                valueName: "host:port"
            )
        )
        var address: [String] = []

        func validate() throws {
            guard (1...1_000).contains(uses) else { throw ValidationError("An invitation is for 1 to 1000 accounts.") }
            guard (60...2_592_000).contains(expires.seconds) else {
                throw ValidationError("An invitation is valid for 1m to 30d.")
            }
            guard address.count <= 4 else { throw ValidationError("An invitation names at most 4 addresses.") }
        }

        func run(in session: Session) async throws {
            let limits = DaemonClient.InviteLimits(
                uses: uses,
                seconds: expires.seconds,
                needsApproval: approve,
                addresses: address,
                isCountedByRelay: byRelay
            )
            let document = try await session.client.document(
                .invite(zone, terms: terms.client(seconds: nil), limits: limits)
            )
            if session.isJSON {
                try session.terminal.print(line: document)
            } else {
                let invite: Invitation = try DaemonClient.decode(document)
                // Alone on the standard output, so that it can be redirected.
                try session.terminal.print(invite.link)
                session.terminal.printError(ShareCommand.text(invite, style: session.style))
            }
        }
    }

    /// Takes an invitation back.
    struct ShareWithdraw: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "withdraw",
            abstract: "Withdraw an invitation; accounts that have joined by it stay.",
            discussion: "EXAMPLE:\n  kairan share withdraw notes 5qk3v7q2"
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String
        @Argument(help: "The invitation's id, or enough of its beginning.")
        var invite: String

        func run(in session: Session) async throws {
            let choice = ChosenID(noun: "invitation", list: "kairan share ls \(zone)")
            let invites = try await session.client.share(of: zone).invites.map(\.invite)
            let id = try choice.choose(invite, among: invites) { $0 }
            try await session.client.withdrawInvite(id, zone: zone)
            try session.show(
                ["invite": .string(id), "withdrawn": true],
                "The invitation \(session.style.id(id)) is withdrawn."
            )
        }
    }

    /// Approves a request to join.
    struct ShareApprove: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "approve",
            abstract: "Approve an account that asks to join a zone.",
            discussion: "EXAMPLE:\n  kairan share approve notes 3jqk7xwm"
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String
        @Argument(help: .joining, completion: .accounts)
        var request: String

        func run(in session: Session) async throws {
            let isIn = try await session.client.approve(request, zone: zone)
            try session.show(
                ["request": .string(request), "state": .string(isIn ? "joined" : "waiting_inviter")],
                isIn
                    ? "It has joined the zone."
                    : "It joins once the device that invited it, or the relay that counts the uses, learns of the approval."
            )
        }
    }

    /// Denies a request to join.
    struct ShareDeny: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "deny",
            abstract: "Deny an account that asks to join a zone, for good.",
            discussion: "EXAMPLE:\n  kairan share deny notes 3jqk7xwm"
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String
        @Argument(help: .joining, completion: .accounts)
        var request: String

        func run(in session: Session) async throws {
            try await session.client.deny(request, zone: zone)
            try session.show(["request": .string(request), "state": "denied"], "Denied.")
        }
    }

    /// An invitation for people.
    static func text(_ invite: Invitation, style: Style) -> String {
        let accounts = Words.count(invite.uses, "account", "accounts")
        let approval = invite.needsApproval ? " after your approval" : ""
        let counting = invite.relay.map { ", counted by the relay \(style.id($0))" } ?? ""
        return "Valid for \(accounts)\(approval) (\(invite.rights)), until \(Words.time(invite.expiresAt))\(counting)."
    }
}
