import Identity
import Sodium
import Wire

@testable import Capabilities

// Offers of the zone, answers, and the consents in both answers and transfers.
extension World {
    /// Whether the last offer is to an account.
    func isAsked(_ account: Int) -> Bool { offers.last?.newOwner == account }

    /// Returns a consent, mostly one that holds; sometimes for another zone or ownership, by a device of another
    /// account, or with another one's signature.
    mutating func consent(of account: Int, after right: Hash, to offer: Hash) -> SignedTransferConsent {
        let lie = generator.below(28)
        let owner = lie == 0 ? generator.below(4) : account
        let device = pool.devices[owner][generator.below(3)]
        let consent = TransferConsent(
            zone: lie == 1 ? ZoneID(WorldPool.digest(1, 9)) : WorldPool.zone,
            ownership: lie == 2 ? someRight() : right,
            account: WorldPool.accounts[account],
            offer: offer,
            device: device.deviceID
        )
        let signer = lie == 3 ? pool.devices[(owner + 1) % 4][0] : device
        return consent.signed(by: signer.sign)
    }

    /// Offers the zone, mostly to another account; sometimes withdraws the offer.
    mutating func offer(by account: Int) -> ControlBody {
        if generator.oneIn(8) { return .transferOffer(.withdrawal) }
        let newOwner = generator.oneIn(10) ? account : generator.below(4)
        let level = AccessLevel(rawValue: UInt8(generator.below(6)))
        return .transferOffer(TransferOffer(to: WorldPool.accounts[newOwner], keeps: level))
    }

    /// Answers an offer, mostly the last one; `nil` if there is none.
    mutating func answer(by account: Int) -> ControlBody? {
        guard let last = offers.last else { return nil }
        let offer = generator.oneIn(8) ? offers[generator.below(offers.count)] : last
        if generator.oneIn(3) { return .transferAnswer(.declined(offer: offer.hash)) }
        let heir = generator.oneIn(8) ? account : offer.newOwner
        return .transferAnswer(.accepted(consent(of: heir, after: offer.right, to: offer.hash)))
    }
}
