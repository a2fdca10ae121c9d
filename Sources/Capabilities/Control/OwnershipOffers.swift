import Identity
import Wire

/// The effective offers of a zone, and the answers to them.
struct OwnershipOffers: Sendable {
    /// The last offer under each ownership.
    private var offers: [Hash: ControlEntry] = [:]
    /// The answers with the accounts that give them, by the offer that they name.
    private var answers: [Hash: [(entry: ControlEntry, account: AccountID)]] = [:]

    /// Notes an effective offer.
    mutating func note(offer entry: ControlEntry) {
        if let last = offers[entry.right], ResolutionOrder(entry) < ResolutionOrder(last) { return }
        offers[entry.right] = entry
    }

    /// Notes an effective answer to an offer.
    mutating func note(answerTo offer: Hash, _ entry: ControlEntry, by account: AccountID) {
        answers[offer, default: []].append((entry, account))
    }

    /// Returns the last offer under an ownership, and the account's last answer to it.
    /// - Parameters:
    ///   - ownership: The ownership.
    ///   - isConsent: Whether a consent of the account is one to own the zone after the ownership.
    /// - Returns: `nil` where nothing is offered to another account.
    func last(under ownership: Ownership, where isConsent: (TransferConsent) -> Bool) -> OwnershipOffer? {
        guard let entry = offers[ownership.right], case .transferOffer(let offer) = entry.body,
            let newOwner = offer.newOwner, newOwner != ownership.account
        else { return nil }
        let said = (answers[entry.hash] ?? []).filter { said in
            guard said.account == newOwner else { return false }
            guard case .transferAnswer(.accepted) = said.entry.body else { return true }
            guard let consent = said.entry.consent, consent.account == newOwner else { return false }
            return isConsent(consent)
        }
        let last = said.map(\.entry).max { ResolutionOrder($0) < ResolutionOrder($1) }
        var answer: TransferAnswer?
        if case .transferAnswer(let body) = last?.body { answer = body }
        return OwnershipOffer(
            entry: entry.hash,
            ownership: ownership.right,
            author: entry.place.actor,
            newOwner: newOwner,
            keeps: offer.keeps,
            answer: answer
        )
    }
}
