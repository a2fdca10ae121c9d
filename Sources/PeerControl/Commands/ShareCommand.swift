import ArgumentParser
import KairanClient

/// Zones that several accounts use.
struct ShareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "share",
        abstract: "Share a zone: list, grant and revoke rights in it.",
        discussion: """
            A zone belongs to one account, which may grant other accounts rights in it: read; append, to add records; write, to \
            change and delete the records of others too; and admin, to set the access of accounts without a right as well. An \
            account is named by its petname, its display name or its id, or by at least the first eight characters of the id, \
            if no other account's id begins with them: `kairan account ls` lists the names.
            """,
        subcommands: [
            ShareList.self, ShareInvite.self, ShareWithdraw.self, ShareApprove.self, ShareDeny.self, ShareGrant.self,
            ShareRevoke.self, ShareTransfer.self, ShareAccept.self, ShareDecline.self, SharePublic.self,
            ShareRaiseCut.self,
        ]
    )

    /// The rights that can be granted to an account.
    enum Rights: String, ExpressibleByArgument, CaseIterable {
        case read, append, write, admin

        /// As the library names it.
        var client: DaemonClient.ShareRights {
            switch self {
            case .read: .read
            case .append: .append
            case .write: .write
            case .admin: .admin
            }
        }
    }

    /// Lists the participants.
    struct ShareList: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the participants of a zone.",
            discussion: "EXAMPLE:\n  kairan share ls notes"
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String

        func run(in session: Session) async throws {
            let style = await session.styleWithNames()
            try await session.show(.share(of: zone), as: Share.self) { ShareCommand.text($0, style: style) }
        }
    }

    /// Hands a right to an account.
    struct ShareGrant: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "grant",
            abstract: "Grant a right in a zone to an account.",
            discussion: """
                The account keeps the rights that it has: to give it less, revoke first. --types and --prefix restrict the records \
                that it may write; every reader reads the whole zone. With --delegate the account may delegate the right, and with \
                --depth 2 its grantees may as well, and so on.

                EXAMPLES:
                  kairan share grant notes 3jqk7xwm --rights write
                  kairan share grant notes 3jqk7xwm --rights append --types Comment --expires 30d
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String
        @Argument(help: .account, completion: .accounts)
        var account: String
        @OptionGroup var terms: ShareTermsOptions
        @Option(
            help: ArgumentHelp(
                "The time for which it is valid, 1m to 3650d; until it is revoked by default.",
                valueName: "time"
            )
        )
        var expires: Lifetime?

        func validate() throws {
            guard (60...315_360_000).contains(expires?.seconds ?? 60) else {
                throw ValidationError("A right is valid for 1m to 3650d.")
            }
        }

        func run(in session: Session) async throws {
            let terms = terms.client(seconds: expires?.seconds)
            let style = await session.styleWithAccounts()
            try await session.show(.share(zone, with: account, terms: terms), as: Participant.self) {
                "\(style.account($0.account)) may \(ShareCommand.sentence($0))."
            }
        }
    }

    /// Takes rights back.
    struct ShareRevoke: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Revoke all rights of an account in a zone.",
            discussion: """
                Accounts that have their rights from this one lose them too; with --keep-below they get the same rights anew from \
                your account. Writes that this device has stay; later ones are quarantined. Every account keeps the data that it has.

                EXAMPLES:
                  kairan share revoke notes 3jqk7xwm --reason "moved out"
                  kairan share revoke notes 3jqk7xwm --keep-below
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String
        @Argument(help: .account, completion: .accounts)
        var account: String
        @Option(help: ArgumentHelp("The reason; all participants can read it.", valueName: "text"))
        var reason: String?
        @Flag(help: "Keep the accounts that have their rights from this one.")
        var keepBelow = false

        func run(in session: Session) async throws {
            let request = DaemonRequest.revokeShare(zone, account: account, reason: reason, keepsBelow: keepBelow)
            let style = await session.styleWithAccounts()
            try await session.show(request, as: Revocation.self) { ShareCommand.text($0, style: style) }
        }
    }

    /// Raises a cut, so that more operations are effective.
    struct ShareRaiseCut: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "raise-cut",
            abstract: "Make all writes of an account under ended rights effective, as far as this device has them.",
            discussion: """
                For the owner, if another account revoked a right before all writes under it had arrived there. The command restores \
                no right. It cannot be undone, so the command asks for the zone's name; --yes takes its place.

                EXAMPLE:
                  kairan share raise-cut notes 3jqk7xwm
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String
        @Argument(help: .account, completion: .accounts)
        var account: String
        @OptionGroup var consent: ConsentOption

        func run(in session: Session) async throws {
            var zone = zone
            try await session.confirm(consent) {
                let found = try await session.client.zone(zone)
                zone = found.zone
                return .raisedCut(
                    of: ChosenID.isWhole(account) ? Words.short(account) : Table.visible(account),
                    in: found
                )
            }
            try await session.show(.raiseCut(zone, account: account), as: CutRaise.self) {
                "\(Words.count($0.released, "write is", "writes are")) effective again."
            }
        }
    }
}
