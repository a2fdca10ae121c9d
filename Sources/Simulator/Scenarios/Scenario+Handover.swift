import Capabilities
import Identity
import Records
import Sync
import Wire

extension Scenario {
    /// A zone is transferred to another account with its consent, and not without.
    static let handover = Scenario(
        name: "handover",
        summary:
            "an owner's device transfers a zone with invalid consents; then another device offers it, and the other account"
            + " declines and accepts, while they are partitioned",
        shape: { options, random in
            options.shapeForRights(&random)
            options.accountCount = 3
            options.nodeCount = 6
        },
        script: { history in
            let zone = try history.openSharedZone(.write)
            try history.writeEverywhere(zone, times: 1)
            let accounts = history.simulation.accounts.map(\.id)
            try history.handOverUnasked(zone, accounts)
            try history.requireOwner(accounts[0], of: zone)
            try history.handOver(zone, accounts)
            try history.settle()
            try history.requireOwner(accounts[1], of: zone)
            try history.finish()
        }
    )
}

extension SimulatedNode {
    /// The consent of this node's account to own a zone after an ownership.
    /// - Returns: `nil` for a node that is off.
    func consent(_ zone: ZoneID, after ownership: Hash) -> SignedTransferConsent? {
        process.map { ZoneTransfers($0.committer()).consent(zone, after: ownership, to: .zero) }
    }
}

extension History {
    /// Lets a device of the owner state that another account owns the zone, without that account's consent.
    fileprivate func handOverUnasked(_ zone: ZoneID, _ accounts: [AccountID]) throws {
        guard let liar = devices(of: accounts[0]).last, let heir = devices(of: accounts[1]).first,
            let other = devices(of: accounts[2]).first, let keys = liar.process?.keys
        else { return }
        judge.evidence.byzantine.insert(liar.device)
        func claim(_ signer: SimulatedNode) -> TransferConsent {
            TransferConsent(zone: zone, ownership: .zero, account: accounts[1], offer: .zero, device: signer.device)
        }
        let elsewhere = ZoneID(random.digest())
        let later = Hash(random.digest())
        let lies = [
            // With no signature, with the signature of the liar's own device, and with that of a third account's
            // device.
            claim(heir).signed(by: keys.sign), claim(liar).signed(by: keys.sign),
            other.process.map { claim(other).signed(by: $0.keys.sign) },
            // For another zone, and for another ownership.
            heir.consent(elsewhere, after: .zero), heir.consent(zone, after: later),
        ]
        for consent in lies.compactMap(\.self).shuffled(using: &random) {
            liar.lie(.transfer(OwnershipTransfer(consent: consent)), in: zone)
            try wait(random.number(10...3_000))
        }
        try wait(30_000)
    }

    /// Offers the zone, and lets the heir accept while the offering device is away.
    fileprivate func handOver(_ zone: ZoneID, _ accounts: [AccountID]) throws {
        guard let owner = devices(of: accounts[0]).first, let heir = devices(of: accounts[1]).last else { return }
        let level: AccessLevel? = random.chance(0.5) ? .write : nil
        owner.decide("offer") { committer, _, transaction in
            try ZoneTransfers(committer).offer(zone, to: accounts[1], keeping: level, in: &transaction)
        }
        try wait(20_000)
        let isApart = random.chance(0.5)
        if isApart { divide { $0.index == owner.index } }
        if random.chance(0.3) {
            sharing.answer(zone, accepting: false, on: heir)
            try wait(5_000)
        }
        sharing.answer(zone, accepting: true, on: heir)
        try wait(5_000)
        try writeEverywhere(zone, times: 1)
        if isApart { try rejoin() }
        try wait(2 * ZoneTransfers.waitMilliseconds)
    }

    /// Requires that every honest member regards an account as the owner of a zone.
    fileprivate func requireOwner(_ account: AccountID, of zone: ZoneID) throws {
        for node in members {
            guard !judge.evidence.byzantine.contains(node.device), let look = StoreLook(at: node),
                let state = try look.controlState?(zone)
            else { continue }
            guard state.owner == account else {
                throw look.violation(.rights, "\(state.owner.shortText) owns a zone that \(account.shortText) owns")
            }
        }
    }
}
