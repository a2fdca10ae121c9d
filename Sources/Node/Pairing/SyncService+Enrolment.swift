import Identity
import Peering
import Session
import Sodium
import Sync
import Wire

// Enrolment by a token in a file: pairing without people. The device that made the token lets in each device that
// shows it, as often as the token allows; both directions of the channel are those of pairing.
extension SyncService {
    /// The numbers of machines that a token may let in; an account log has room for some hundred devices.
    static let enrolmentUses = 1...256
    /// The lifetimes that a token may have: a minute to thirty days.
    static let enrolmentMilliseconds: ClosedRange<UInt64> = 60_000...2_592_000_000

    /// Makes a token.
    func makeEnrolmentToken(
        uses: Int,
        lifetimeMilliseconds: UInt64,
        role: DeviceRole
    ) throws(NodeError) -> EnrolmentTokenStatus {
        try checkMayAdd()
        guard Self.enrolmentUses.contains(uses), let count = UInt32(exactly: uses) else {
            throw NodeError(.invalidArgument, "A token is for 1 to 256 machines, not \(uses).", fix: "Make several.")
        }
        guard Self.enrolmentMilliseconds.contains(lifetimeMilliseconds) else {
            throw NodeError(.invalidArgument, "A token is valid for a minute to 30 days.", fix: "Choose another time.")
        }
        let now = dependencies.clock.wall()
        let offer = EnrolmentOffer(
            token: EnrolmentToken(using: &random),
            role: role,
            uses: count,
            endMilliseconds: now + lifetimeMilliseconds
        )
        var book = core.joining.enrolments
        _ = book.forgetExpired(at: now)
        guard book.add(offer) else {
            throw NodeError(
                .enrolmentTooMany,
                "There are \(EnrolmentBook.countMax) open enrolment tokens.",
                fix:
                    "Wait until they are used up or expired, or withdraw all with `kairan account enrolment-token --withdraw`."
            )
        }
        do {
            try keep(book)
        } catch {
            throw Self.told(addingFailed: error)
        }
        return EnrolmentTokenStatus(
            token: offer.token.text,
            uses: uses,
            expiresMilliseconds: offer.endMilliseconds,
            role: role
        )
    }

    /// Ends all tokens.
    func withdrawEnrolmentTokens() throws(NodeError) {
        do {
            try keep(EnrolmentBook())
        } catch {
            throw Self.told(addingFailed: error)
        }
    }

    /// Reads the tokens that were made before the last stop.
    func loadEnrolments() {
        let file = dependencies.identity.files.enrolments
        do {
            guard var bytes = try file.read() else { return }
            defer { ConstantTime.wipe(&bytes) }
            let book = try EnrolmentBook(decoding: bytes)
            step { $0.load(book, in: &$1) }
        } catch {
            dependencies.replica.health.set(
                HealthWarning(
                    code: "enrolment.lost",
                    severity: .warning,
                    message: "\(file.path) cannot be read: the enrolment tokens made here admit no machine.",
                    fix: "Make new ones with `kairan account enrolment-token`.",
                    facts: ["error": "\(error)"]
                )
            )
        }
    }

    /// Looks for the device that made a token and joins its account; gives way to a person who pairs.
    func enrol(_ token: EnrolmentToken, timeoutMilliseconds: UInt64 = 45_000) async throws(NodeError) -> PairingOutcome
    {
        let search = JoiningDesk.Search(key: .enrolment(identifier: token.identifier), isUnattended: true)
        return try await join(
            search,
            under: token.channelSecret,
            timeoutMilliseconds: timeoutMilliseconds,
            otherwise: NodeError(
                .ticketNotFound,
                "The device that made this enrolment token was not found, or the token has ended.",
                fix: "Check that the device that made it is on and in this network; make another token if it has ended."
            )
        )
    }

    /// Only a device with all rights can add others.
    func checkMayAdd() throws(NodeError) {
        guard dependencies.identity.mayAdd else {
            throw Self.told(addingFailed: AccountError.notAllowed)
        }
    }

    /// Stores the tokens; a failure leaves the old ones.
    private func keep(_ book: EnrolmentBook) throws {
        try stepAside { try $0.keep(book, in: &$1) }
        dependencies.replica.health.clear("enrolment.lost")
    }
}
