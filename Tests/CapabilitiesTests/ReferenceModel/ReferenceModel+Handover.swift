import Identity
import Wire

@testable import Capabilities

// The requirements of a zone's transfer, and offers of it.
extension ReferenceModel {
    // MARK: - control-log.md, Consent to a transfer

    // "The account consents if the signature is valid, the zone is this one, the ownership is the right that the
    // transfer is written under, and the account knows the device with the role full, active or removed. If all else
    // holds and that account's log is not held, the transfer waits."
    func consent(_ transfer: OwnershipTransfer, in entry: ControlEntry) -> Answer {
        guard keeps(.transferTakesConsent) else { return .yes }
        return isWorth(transfer.consent.consent, isSigned: entry.consent != nil, after: entry.right)
    }

    private func isWorth(_ consent: TransferConsent, isSigned: Bool, after right: Hash) -> Answer {
        if keeps(.consentIsSigned), !isSigned { return .no }
        if keeps(.consentIsForTheZone), consent.zone != zone { return .no }
        if keeps(.consentIsForTheOwnership), consent.ownership != right { return .no }
        return switch directory.standing(of: consent.device, in: consent.account) {
        case .unknownAccount: keeps(.consentWaitsForTheAccount) ? .unknown : .no
        case .unknownDevice: keeps(.consentIsByTheAccount) ? .no : .yes
        case .active(let role, _): role == .full || !keeps(.consentTakesTheRoleFull) ? .yes : .no
        case .removed(let role, _):
            keeps(.removedMayHaveConsented) && (role == .full || !keeps(.consentTakesTheRoleFull)) ? .yes : .no
        }
    }

    // MARK: - control-log.md, Offers

    /// The offer that stands, and its answer.
    var offer: (entry: ControlEntry, answer: ControlEntry?)? {
        guard !isPair, let present = ownerships.last else { return nil }
        // "Of the effective transferOffer operations under the present ownership, the last one by rank and hash
        // stands"
        let offers = counting.filter { entry in
            guard case .transferOffer = entry.body else { return false }
            return entry.right == present.right || !keeps(.offerEndsWithTheOwnership)
        }
        guard let last = last(offers, .lastOfferStands), case .transferOffer(let offer) = last.body,
            // "unless it names no account, or the owner, or an account without a right that holds in the zone and is
            // of the level read or above"
            let heir = offer.newOwner, heir != present.account || !keeps(.offerIsToAnother), takesPart(heir)
        else { return nil }
        // "It is answered by the last one by rank and hash of the effective transferAnswer operations that name it
        // and are written by the account that it names; an acceptance by which that account does not consent is no
        // answer."
        let answers = counting.filter { entry in
            guard case .transferAnswer(let answer) = entry.body, answer.offer == last.hash,
                account(entry.right) == heir || !keeps(.answerIsByTheAccount)
            else { return false }
            guard case .accepted(let signed) = answer, keeps(.acceptanceIsAConsent) else { return true }
            return signed.consent.account == heir
                && isWorth(signed.consent, isSigned: entry.consent != nil, after: present.right) == .yes
        }
        return (last, self.last(answers, .lastAnswerHolds))
    }

    private func takesPart(_ account: AccountID) -> Bool {
        let held = tokens.filter { id, token in
            token.audience == account && isHeld(id) && endings(id, leavesUpTo: .max).isEmpty
        }
        return held.values.contains { $0.rights.level >= .read || !keeps(.offerTakesTheRightToRead) }
            || !keeps(.offerTakesARight)
    }

    private func last(_ entries: [ControlEntry], _ clause: Omission) -> ControlEntry? {
        entries.max {
            keeps(clause) ? (rank($0), $0.hash) < (rank($1), $1.hash) : (rank($1), $1.hash) < (rank($0), $0.hash)
        }
    }
}
