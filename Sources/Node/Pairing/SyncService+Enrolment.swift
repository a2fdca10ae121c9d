import Identity
import Logging
import Session
import Sodium
import Sync
import Wire

// Enrolment by a token in a file: pairing without people. The device that made the token lets in whoever shows it, as often as
// was said; both directions of the channel are those of pairing.
extension SyncService {
    /// How many machines a token may let in; an account log has room for some hundred devices.
    static let enrolmentUses = 1...256
    /// How long a token may be good: a minute to thirty days.
    static let enrolmentMilliseconds: ClosedRange<UInt64> = 60_000...2_592_000_000

    /// Makes a token.
    func makeEnrolmentToken(
        uses: Int,
        lifetimeMilliseconds: UInt64,
        role: DeviceRole
    ) throws(NodeError) -> EnrolmentTokenStatus {
        try checkMayAdd()
        guard Self.enrolmentUses.contains(uses), let count = UInt32(exactly: uses) else {
            throw NodeError(.invalidArgument, "A token lets 1 to 256 machines in, not \(uses).", fix: "Make several.")
        }
        guard Self.enrolmentMilliseconds.contains(lifetimeMilliseconds) else {
            throw NodeError(.invalidArgument, "A token is good for a minute to 30 days.", fix: "Choose another time.")
        }
        let now = dependencies.clock.wall()
        let offer = EnrolmentOffer(
            token: EnrolmentToken(using: &random),
            role: role,
            uses: count,
            endMilliseconds: now + lifetimeMilliseconds
        )
        var book = pairing.enrolments
        _ = book.forgetExpired(at: now)
        guard book.add(offer) else {
            throw NodeError(
                .enrolmentTooMany,
                "There are \(EnrolmentBook.countMax) open enrolment tokens.",
                fix:
                    "Wait until they are used up or over, or end them all with `kairan account enrolment-token --withdraw`."
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
            pairing.setEnrolments(try EnrolmentBook(decoding: bytes))
            dependencies.identity.setTicketSecrets(pairing.secrets)
        } catch {
            dependencies.logger.error("enrolment tokens not read", metadata: ["error": "\(error)"])
            dependencies.replica.health.set(
                HealthWarning(
                    code: "enrolment.lost",
                    severity: .warning,
                    message: "\(file.path) cannot be read: the enrolment tokens made here let nobody in.",
                    fix: "Make new ones with `kairan account enrolment-token`."
                )
            )
        }
    }

    /// Forgets tokens whose time is over.
    func forgetEnrolments(expiredAt now: UInt64) {
        var book = pairing.enrolments
        guard book.forgetExpired(at: now) else { return }
        keepIfPossible(book)
    }

    /// Forgets all tokens: they were for an account that was left.
    func forgetEnrolments() {
        guard !pairing.enrolments.offers.isEmpty else { return }
        keepIfPossible(EnrolmentBook())
    }

    /// Lets a device in that has a token.
    func letIn(_ link: PairingDesk.Link, token: [UInt8]) {
        let identity = dependencies.identity
        let standing = identity.standing(of: link.certificate.device)
        guard standing != .removed else {
            refusePairing(link, .removed)
            return
        }
        guard identity.accountState.standing(of: identity.device) == .active(.full) else {
            refusePairing(link, .failed)
            return
        }
        var book = pairing.enrolments
        let now = dependencies.clock.wall()
        do {
            switch book.redeem(token, isMember: standing == .active, at: now) {
            case .accepted(let role):
                // On the disk first: a crash in between costs a use and lets nobody in twice.
                try keep(book)
                try identity.add(link.certificate, role: role)
                mailbox.put(.accountChanged)
            case .known: break
            case .used:
                refusePairing(link, .used)
                return
            case .unknown:
                refusePairing(link, .expired)
                return
            }
        } catch {
            dependencies.logger.error("device not enrolled", metadata: ["error": "\(error)"])
            refusePairing(link, .failed)
            return
        }
        welcome(link)
    }

    /// Looks for whoever made a token and joins its account; gives way to a person who pairs.
    func enrol(_ token: EnrolmentToken, timeoutMilliseconds: UInt64 = 45_000) async throws(NodeError) -> PairingOutcome
    {
        let secret = ChannelSecret(purpose: .enrolment(identifier: token.identifier), key: token.presharedKey())
        return try await join(
            PairingDesk.Search(secret: secret, isUnattended: true),
            timeoutMilliseconds: timeoutMilliseconds,
            otherwise: NodeError(
                .ticketNotFound,
                "Nobody was found who made this enrolment token, or it is over.",
                fix: "See whether the device that made it is on and in this network; make another token if it is over."
            )
        )
    }

    /// Only a device with all rights can add others.
    func checkMayAdd() throws(NodeError) {
        let identity = dependencies.identity
        guard identity.accountState.standing(of: identity.device) == .active(.full) else {
            throw Self.told(addingFailed: AccountError.notAllowed)
        }
    }

    /// Writes the tokens down; what fails leaves the old ones.
    private func keep(_ book: EnrolmentBook) throws {
        try dependencies.identity.files.enrolments.replace(book.encoded)
        pairing.setEnrolments(book)
        dependencies.identity.setTicketSecrets(pairing.secrets)
        dependencies.replica.health.clear("enrolment.lost")
    }

    /// Takes other tokens whether or not they can be written down: those that are gone let nobody in after a restart either,
    /// since their time is over or their channel leads into another account.
    private func keepIfPossible(_ book: EnrolmentBook) {
        do {
            try keep(book)
        } catch {
            dependencies.logger.warning("enrolment tokens not written", metadata: ["error": "\(error)"])
            pairing.setEnrolments(book)
            dependencies.identity.setTicketSecrets(pairing.secrets)
        }
    }
}
