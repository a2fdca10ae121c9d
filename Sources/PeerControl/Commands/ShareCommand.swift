import ArgumentParser
import KairanClient

/// Zones that several accounts use.
struct ShareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "share",
        abstract: "Say who may do what in a zone.",
        discussion: """
            A zone belongs to one account, which may hand rights in it to others: to read; to append records; to write, \
            which is to change and delete those of others too; and to admin, which is to say what everybody may do as well. An account is named by its petname, its display name or its id, or by at least the first eight characters of the id, where that is enough: `kairan account ls` lists the names.
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
            abstract: "List who takes part in a zone.",
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
            abstract: "Hand a right in a zone to an account.",
            discussion: """
                What the account has already stays: to give it less, revoke first. --types and --prefix narrow what it may \
                write; who may read, reads the whole zone. With --delegate the account may hand the right on, and with --depth \
                2 those may to whom it does, and so on.

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
            help: ArgumentHelp("How long it is good, 1m to 3650d; until it is revoked by default.", valueName: "time")
        )
        var expires: Lifetime?

        func validate() throws {
            guard (60...315_360_000).contains(expires?.seconds ?? 60) else {
                throw ValidationError("A right is good for 1m to 3650d.")
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
                your account. Writes that this device has stay; later ones are quarantined. Everybody keeps what they have read.

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
        @Option(help: ArgumentHelp("Why; all who take part can read it.", valueName: "text"))
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
            abstract: "Let all count that an account wrote by rights that ended, as far as this device has it.",
            discussion: """
                For the owner, when somebody else revoked a right before all that was written by it had arrived there. It gives \
                no right back. It cannot be undone, so it asks for the zone's name; --yes takes its place.

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
                "\(Words.count($0.released, "write counts", "writes count")) again."
            }
        }
    }
}
