import Capabilities
import Identity
import Records
import Sodium
import Sync
import Wire

@testable import Node

/// An account of one device that nothing runs on, and whose log a node holds.
struct KnownAccount {
    let keys: DeviceIdentity
    let account: AccountID

    /// Makes an account that a node knows.
    init(knownTo desk: RunningNode) throws {
        var random = SystemRandom()
        keys = DeviceIdentity(using: &random)
        let log = try AccountLog.create(
            identity: keys,
            certificate: try keys.certificate(name: "hers", issued: 1),
            recoveryKey: RecoveryKey(RecoveryPhrase(using: &random)).publicKey,
            name: "hers",
            using: &random
        )
        account = log.account
        _ = try desk.node.identity.contacts.insert(log.entries, of: log.account)
    }

    /// Returns its consent to own a zone.
    func consent(_ zone: ZoneID, after ownership: Hash) -> SignedTransferConsent {
        TransferConsent(zone: zone, ownership: ownership, account: account, offer: .zero, device: keys.deviceID)
            .signed(by: keys.sign)
    }
}

extension RunningNode {
    /// Transfers a zone to an account that has consented.
    func transfer(_ zone: ZoneID, to heir: KnownAccount, keeping level: AccessLevel?) async throws {
        try await change { committer, _, transaction in
            let consent = heir.consent(zone, after: try transaction.zone(zone)?.right ?? .zero)
            return try ZoneTransfers(committer).transfer(zone, with: consent, keeping: level, in: &transaction)
        }
    }
}
