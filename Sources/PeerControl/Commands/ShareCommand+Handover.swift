import ArgumentParser
import KairanClient

extension ShareCommand {
    /// Offers a zone to another account.
    struct ShareTransfer: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "transfer",
            abstract: "Offer a zone to an account that takes part in it.",
            discussion: """
                The account owns the zone once `kairan share accept` was run there and this device has learned of it; until then \
                nothing changes, and --cancel withdraws the offer. Afterwards only the new owner can undo it, so the command asks for \
                the zone's name; --yes takes its place. Without --keep this account then has no right in the zone, which is no longer \
                listed here. A zone is offered to one account at a time: a later offer replaces an earlier one.

                EXAMPLES:
                  kairan share transfer notes 3jqk7xwm --keep write
                  kairan share transfer notes --cancel
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String
        @Argument(help: .account, completion: .accounts)
        var account: String?
        @Option(help: "The right that this account keeps; with admin it may also grant rights to others.")
        var keep: Rights?
        @Flag(help: "Withdraw the offer.")
        var cancel = false
        @OptionGroup var consent: ConsentOption

        func validate() throws {
            guard cancel != (account != nil), !cancel || keep == nil else {
                throw ValidationError("Name the new owner of the zone, or give --cancel.")
            }
        }

        func run(in session: Session) async throws {
            guard let account else {
                return try await session.show(.withdrawTransfer(zone), as: ZoneTransfer.self) { _ in
                    "The offer of the zone is withdrawn."
                }
            }
            try await offer(to: account, in: session)
        }

        private func offer(to account: String, in session: Session) async throws {
            // The ids that a person agreed to are sent, even if another zone gets the name meanwhile.
            var (zone, account) = (zone, account)
            try await session.confirm(consent) {
                let found = try await session.client.zone(zone)
                let participants = try await session.client.share(of: found.zone).participants
                let choice = ChosenID(noun: "participant", list: "kairan share ls \(zone)", takesLooks: true)
                let participant = try choice.choose(account, among: participants, id: \.account, name: \.accountName)
                (zone, account) = (found.zone, participant.account)
                return .transfer(of: found, to: participant, keeping: keep?.rawValue)
            }
            let style = await session.styleWithAccounts()
            let request = DaemonRequest.offerTransfer(zone, to: account, keeping: keep?.rawValue)
            try await session.show(request, as: ZoneTransfer.self) { transfer in
                """
                Offered to \(style.account(transfer.account)), which can accept it with `kairan share accept`. Until then the zone \
                stays yours; `kairan share transfer --cancel` withdraws the offer.
                """
            }
        }
    }

    /// Takes over a zone that is offered to this account.
    struct ShareAccept: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "accept",
            abstract: "Accept a zone that its owner offers to this account.",
            discussion: """
                This account owns the zone as soon as the device that made the offer learns of the acceptance: it then decides about \
                the participants, and its machines keep the zone for all of them. It cannot return the zone unless another account \
                accepts it, so the command asks for the zone's name; --yes takes its place.

                EXAMPLE:
                  kairan share accept notes
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String
        @OptionGroup var consent: ConsentOption

        func run(in session: Session) async throws {
            var zone = zone
            let style = await session.styleWithAccounts()
            try await session.confirm(consent) {
                let found = try await session.client.zone(zone)
                let share = try await session.client.share(of: found.zone)
                zone = found.zone
                // The size is for people; without it the question is asked all the same.
                let container = try? await session.client.container(found.container)
                return .takeover(
                    of: found,
                    share,
                    from: style.account(share.owner.account),
                    byteCount: container?.byteCount(of: found.zone)
                )
            }
            try await session.show(.answerTransfer(zone, accepting: true), as: ZoneTransfer.self) {
                "Accepted. This account owns the zone once the device of \(style.account($0.owner)) that offered it learns of the acceptance."
            }
        }
    }

    /// Declines a zone that is offered to this account.
    struct ShareDecline: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "decline",
            abstract: "Decline a zone that its owner offers to this account.",
            discussion: """
                The owner sees the answer, and the rights of this account stay. As long as the offer stands, `kairan share accept` still \
                accepts it.

                EXAMPLE:
                  kairan share decline notes
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String

        func run(in session: Session) async throws {
            let style = await session.styleWithAccounts()
            try await session.show(.answerTransfer(zone, accepting: false), as: ZoneTransfer.self) {
                "Declined. The zone stays with \(style.account($0.owner))."
            }
        }
    }
}

extension ContainerSummary {
    /// The size of the records of one of its zones in bytes; `nil` for a zone that is not in it.
    fileprivate func byteCount(of zone: String) -> UInt64? {
        databases.flatMap(\.zones).first { $0.zone == zone }?.bytes
    }
}
