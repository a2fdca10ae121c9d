import Identity
import Peering
import Sodium
import Sync
import Wire

/// Enrolment by a token in a file: pairing without people.
///
/// The device that made the token admits each device that shows it, as often as the token allows; both directions of the channel are those
/// of pairing.
struct Enrolment: Sendable {
    /// The numbers of machines that a token may admit; an account log has room for some hundred devices.
    static let uses = 1...256
    /// The lifetimes that a token may have: a minute to thirty days.
    static let lifetimeMilliseconds: ClosedRange<UInt64> = 60_000...2_592_000_000

    private let sync: SyncService

    /// Enrols a service's device, or admits others.
    init(_ sync: SyncService) {
        self.sync = sync
    }

    /// Makes a token.
    func makeToken(
        uses: Int,
        lifetimeMilliseconds: UInt64,
        role: DeviceRole
    ) async throws(NodeError) -> EnrolmentTokenStatus {
        try sync.dependencies.identity.requireMayAdd()
        guard Self.uses.contains(uses), let count = UInt32(exactly: uses) else {
            throw NodeError(.invalidArgument, "A token is for 1 to 256 machines, not \(uses).", fix: "Make several.")
        }
        guard Self.lifetimeMilliseconds.contains(lifetimeMilliseconds) else {
            throw NodeError(.invalidArgument, "A token is valid for a minute to 30 days.", fix: "Choose another time.")
        }
        let now = sync.dependencies.clock.wall()
        var random = SystemRandom()
        let offer = EnrolmentOffer(
            token: EnrolmentToken(using: &random),
            role: role,
            uses: count,
            endMilliseconds: now + lifetimeMilliseconds
        )
        try await change { book in
            _ = book.forgetExpired(at: now)
            guard book.add(offer) else { throw Self.tooMany }
        }
        return EnrolmentTokenStatus(
            token: offer.token.text,
            uses: uses,
            expiresMilliseconds: offer.endMilliseconds,
            role: role
        )
    }

    /// Ends all tokens.
    func withdrawTokens() async throws(NodeError) {
        try await change { $0 = EnrolmentBook() }
    }

    /// Looks for the device that made a token and joins its account; gives way to a person who pairs.
    func enrol(_ token: EnrolmentToken, timeoutMilliseconds: UInt64 = 45_000) async throws(NodeError) -> PairingOutcome
    {
        try await AccountSearch(sync).join(
            JoiningCore.Search(key: .enrolment(identifier: token.identifier), isUnattended: true),
            under: token.channelSecret,
            timeoutMilliseconds: timeoutMilliseconds,
            otherwise: NodeError(
                .ticketNotFound,
                "The device that made this enrolment token was not found, or the token has ended.",
                fix: "Check that the device that made it is on and in this network; make another token if it has ended."
            )
        )
    }

    /// Changes the tokens, and stores them; a failure leaves the old ones.
    private func change(_ body: @escaping @Sendable (inout EnrolmentBook) throws -> Void) async throws(NodeError) {
        do {
            try await sync.stepAside { core, turn in
                var book = core.joining.enrolments
                try body(&book)
                try core.keep(book, in: &turn)
            }
        } catch let error as NodeError {
            throw error
        } catch {
            throw NodeError(addingFailed: error)
        }
        sync.dependencies.commitService.health.clear(EnrolmentBook.lostCode)
    }

    private static let tooMany = NodeError(
        .enrolmentTooMany,
        "There are \(EnrolmentBook.countMax) open enrolment tokens.",
        fix: "Wait until they are used up or expired, or withdraw all with `kairan account enrolment-token --withdraw`."
    )
}

extension EnrolmentBook {
    /// The code of the warning about a file of tokens that cannot be read.
    static let lostCode = "enrolment.lost"

    /// Reads the tokens that were made before the last stop.
    /// - Parameters:
    ///   - file: The file.
    ///   - health: Where a warning is raised if the file cannot be read.
    /// - Returns: `nil` where there are none, or they cannot be read.
    static func read(_ file: SecretFile, _ health: HealthBoard) -> EnrolmentBook? {
        do {
            guard var bytes = try file.read() else { return nil }
            defer { ConstantTime.wipe(&bytes) }
            return try EnrolmentBook(decoding: bytes)
        } catch {
            health.set(
                HealthWarning(
                    code: lostCode,
                    severity: .warning,
                    message: "\(file.path) cannot be read: the enrolment tokens made here admit no machine.",
                    fix: "Make new ones with `kairan account enrolment-token`.",
                    facts: ["error": "\(error)"]
                )
            )
            return nil
        }
    }
}
