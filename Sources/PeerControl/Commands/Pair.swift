import ArgumentParser
import FoundationEssentials
import KairanClient

/// Brings two devices into one account.
struct Pair: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Add a device to an account.",
        discussion: """
            On a device of the account run “kairan pair offer”, on the new device “kairan pair accept TICKET”. \
            Then compare the six words on both screens.
            """,
        subcommands: [Offer.self, Accept.self]
    )

    /// Offers a place.
    struct Offer: ControlCommand {
        static let configuration = CommandConfiguration(
            abstract: "Offer a place in this account and wait for a device to take it.",
            discussion: """
                The ticket works once and for ten minutes. With --json the first line has ticket and expires_at, the \
                second the outcome.

                A device with the role read-only receives everything and writes nothing; the role is permanent. A relay-only device \
                writes nothing either, and gets no key: it keeps the sealed data and cannot read it.

                EXAMPLES:
                  kairan pair offer
                  kairan pair offer --role read-only
                """
        )

        @OptionGroup var global: GlobalOptions
        @Option(help: "The role of the new device.")
        var role = RoleOption.full

        func run(in session: Session) async throws {
            let offer = try await session.client.offerPairing(role: Device.Role(rawValue: role.interfaceText))
            if session.isJSON {
                let expiry = RFC3339.text(milliseconds: Int64(offer.expiresAt.timeIntervalSince1970 * 1000))
                try session.show(["ticket": .string(offer.ticket), "expires_at": .string(expiry)], "")
            } else {
                try session.terminal.print(Pair.text(offer))
            }
            let document = try await session.client.pairingDocument(ticket: offer.ticket)
            try session.show(document: document) { Pair.text($0, style: session.style) }
        }
    }

    /// Takes a place.
    struct Accept: ControlCommand {
        static let configuration = CommandConfiguration(
            abstract: "Join the account that offers a ticket.",
            discussion: "EXAMPLE:\n  kairan pair accept 3JQK-7XWM-…"
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The ticket as the other device shows it; spaces between its groups do not matter.")
        var ticket: [String]

        func run(in session: Session) async throws {
            session.terminal.showProgress("Looking for the device that offers this ticket …")
            defer { session.terminal.endProgress() }
            let request = DaemonRequest.acceptPairing(ticket: ticket.joined(separator: " "))
            let document = try await session.client.document(request)
            session.terminal.endProgress()
            try session.show(document: document) { Pair.text($0, style: session.style) }
        }
    }

    /// An offer for people.
    static func text(_ offer: PairingOffer) -> String {
        """
        On the new device run:

            kairan pair accept \(offer.ticket)

        The ticket works once, until \(Words.time(offer.expiresAt)). Waiting …
        """
    }

    /// An outcome for people.
    static func text(_ result: PairingResult, style: Style) -> String {
        """
        \(style.good("Paired")) with \(result.name) (\(style.id(result.device))).

            \(style.bold(result.words.joined(separator: " ")))

        Both screens must show these words. If they do not, a third party stood between the devices:
        remove the device at once with kairan device remove.
        """
    }
}
