import Capabilities
import Identity
import Records
import Wire

/// The times at which devices of a zone's members joined it, and their rights to write in it.
struct Membership {
    private let accounts: [AccountID: AccountState]
    private let owners: Set<AccountID>
    /// The rights by which accounts write.
    private let capabilities: [AccountID: Capability]
    private let since: [AccountID: UInt64]
    private let wall: UInt64

    /// The greatest assumed difference between the clocks of an admitting device and of a sender.
    ///
    /// It is generous, since an earlier message shown as new is better than a new message hidden as an earlier one.
    private static let skewMilliseconds: UInt64 = 60 * 60 * 1_000

    /// Looks into the control log.
    /// - Throws: Any error of the store.
    init(_ rights: ZoneRights, _ zone: ZoneID, of committer: Committer, in transaction: some NodeTransaction) throws {
        accounts = committer.accounts
        wall = committer.wallMilliseconds
        owners = Set(rights.state.owners)
        capabilities = rights.state.participants.compactMapValues { rights.state.capabilities[$0.via]?.capability }
        let times = try ZoneViews(committer).grantTimes(rights.state, zone: zone, in: transaction)
        since = rights.state.participants.mapValues { participant in
            participant.capabilities.compactMap { rights.state.capabilities[$0]?.since }.compactMap { times[$0] }.min()
                ?? 0
        }
    }

    /// Whether a device was admitted before a message was written, by the clocks of the admitting device and of the
    /// author.
    func isSince(_ time: HybridTime, device: DeviceID, account: AccountID) -> Bool {
        let added = accounts[account]?.devices[device]?.addedMilliseconds ?? 0
        let begin = max(added, owners.contains(account) ? 0 : since[account] ?? 0)
        // A time in the future cannot be that of an admission.
        if begin > wall || begin <= time.milliseconds { return true }
        return begin - time.milliseconds <= Self.skewMilliseconds
    }

    /// Whether a device may state in the zone that it has a message.
    func mayAnswer(_ device: DeviceID, _ account: AccountID) -> Bool {
        guard accounts[account]?.standing(of: device) == .active(.full) else { return false }
        if owners.contains(account) { return true }
        return capabilities[account].map {
            MessageReceipts.isAllowed($0.rights.level, $0.caveats, at: wall)
        } ?? false
    }
}
