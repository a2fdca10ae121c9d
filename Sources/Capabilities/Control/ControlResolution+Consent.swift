import Identity
import Wire

// Offers of a zone, answers to them, and the requirements for the transfer of a zone.
extension ControlResolution {
    /// Whether a transfer may end the ownership that it is written under: it is to another account, which has
    /// consented, its device may speak for the owner, and its account's cut reaches it.
    func isCandidate(_ entry: ControlEntry, under ownership: Ownership) -> Bool {
        guard case .transfer(let transfer) = entry.body, transfer.newOwner != ownership.account else { return false }
        return isHeard(entry, under: ownership) && consent(to: entry, under: ownership) == .counts
    }

    /// Whether the account that a transfer to another account names has consented to own the zone after an ownership.
    ///
    /// A device that the account knows with the role full has signed the consent. Its later removal makes no
    /// difference; otherwise a removal would undo a transfer.
    /// - Returns: `.counts` for an operation that is no transfer to another account.
    func consent(to entry: ControlEntry, under ownership: Ownership) -> EntryVerdict {
        guard case .transfer(let transfer) = entry.body, transfer.newOwner != ownership.account else {
            return .counts
        }
        guard let consent = entry.consent, isAbout(consent, ownership) else { return .void(.noConsent) }
        let verdict = speaks(consent.device, for: transfer.newOwner)
        if case .void = verdict { return .void(.noConsent) }
        return verdict
    }

    private func isAbout(_ consent: TransferConsent, _ ownership: Ownership) -> Bool {
        consent.zone == state.zone && consent.ownership == ownership.right
    }

    /// Returns the verdict on an owner's operation above the cut of its log.
    func verdict(above entry: ControlEntry, under ownership: Ownership) -> EntryVerdict {
        let verdict = speaks(entry.device, for: ownership.account)
        guard verdict == .counts else { return verdict }
        // Once the account is known it may be the transfer that made the cut.
        if !state.isPair, case .waiting(let reason) = consent(to: entry, under: ownership) { return .waiting(reason) }
        return .void(.aboveCut)
    }

    /// Notes the account whose log is needed to judge a transfer's consent.
    /// - Returns: Whether one is.
    @discardableResult mutating func noteConsent(_ entry: ControlEntry, under ownership: Ownership) -> Bool {
        guard case .transfer(let transfer) = entry.body, transfer.newOwner != ownership.account,
            let consent = entry.consent, isAbout(consent, ownership),
            speaks(entry.device, for: ownership.account) == .counts
        else { return false }
        state.candidates.insert(transfer.newOwner)
        return true
    }

    /// Notes an effective offer.
    mutating func note(offer entry: ControlEntry) {
        if let last = offers[entry.right], ResolutionOrder(entry) < ResolutionOrder(last) { return }
        offers[entry.right] = entry
    }

    /// Determines the last offer of the zone, and the account's answer to it.
    mutating func concludeOffer() {
        let ownership = state.ownership
        state.lastOffer = nil
        guard !state.isPair, let entry = offers[ownership.right], case .transferOffer(let offer) = entry.body,
            let newOwner = offer.newOwner, newOwner != ownership.account
        else { return }
        let said = (answers[entry.hash] ?? []).filter { said in
            guard said.account == newOwner else { return false }
            guard case .transferAnswer(.accepted) = said.entry.body else { return true }
            guard let consent = said.entry.consent, isAbout(consent, ownership), consent.account == newOwner else {
                return false
            }
            return speaks(consent.device, for: newOwner) == .counts
        }
        let last = said.map(\.entry).max { ResolutionOrder($0) < ResolutionOrder($1) }
        var answer: TransferAnswer?
        if case .transferAnswer(let body) = last?.body { answer = body }
        state.lastOffer = OwnershipOffer(
            entry: entry.hash,
            ownership: ownership.right,
            author: entry.place.actor,
            newOwner: newOwner,
            keeps: offer.keeps,
            answer: answer
        )
    }
}
