import Capabilities
import Identity
import Records
import Wire

/// Since when the devices of a zone's members are there, and whether they may write in it.
struct Membership {
    private let accounts: [AccountID: AccountState]
    private let owners: Set<AccountID>
    /// The rights by which accounts write.
    private let capabilities: [AccountID: Capability]
    private let since: [AccountID: UInt64]
    private let wall: UInt64

    /// How far the clocks may be apart of who lets somebody in and who sends a message: rather is something of before shown as
    /// new than something new as of before.
    private static let skewMilliseconds: UInt64 = 60 * 60 * 1_000

    /// Looks into the control log.
    /// - Throws: What the store throws.
    init(_ rights: ZoneRights, _ zone: ZoneID, of committer: Committer, in transaction: some NodeTransaction) throws {
        accounts = committer.accounts
        wall = committer.wallMilliseconds
        owners = Set(rights.state.owners)
        capabilities = rights.state.participants.compactMapValues { rights.state.capabilities[$0.via]?.capability }
        let times = try committer.grantTimes(rights.state, zone: zone, in: transaction)
        since = rights.state.participants.mapValues { participant in
            participant.capabilities.compactMap { rights.state.capabilities[$0]?.since }.compactMap { times[$0] }.min()
                ?? 0
        }
    }

    /// Whether a device was let in before something was written, by the clocks of who let it in and who wrote.
    func isSince(_ time: HybridTime, device: DeviceID, account: AccountID) -> Bool {
        let added = accounts[account]?.devices[device]?.addedMilliseconds ?? 0
        let begin = max(added, owners.contains(account) ? 0 : since[account] ?? 0)
        // A time that has not come yet is no time at which somebody was let in.
        if begin > wall || begin <= time.milliseconds { return true }
        return begin - time.milliseconds <= Self.skewMilliseconds
    }

    /// Whether a device can say in the zone that it has a message.
    func mayAnswer(_ device: DeviceID, _ account: AccountID, about message: String) -> Bool {
        guard accounts[account]?.standing(of: device) == .active(.full) else { return false }
        if owners.contains(account) { return true }
        return capabilities[account].map {
            MessageReceipt.isAllowed($0.rights.level, $0.caveats, about: message, at: wall)
        } ?? false
    }
}
