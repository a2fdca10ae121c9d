import Identity
import Records
package import Wire

/// The knowledge which other devices of this account hold a content, by their own statements.
///
/// The knowledge is for people, and for the order of questions: no content is dropped by it. A statement may be outdated, as after the holder's
/// store was restored, until the device is asked again. See `docs/protocol/evictions.md` §7.
package struct Holders: Sendable {
    /// Contents that one search looks at.
    package static let searchedCount = 1_000
    /// Statements that one transaction forgets.
    package static let forgottenCount = 1_024

    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Whether a device is another one of this account that may hold contents: a relay cannot open any.
    func mayHold(_ device: DeviceID) -> Bool {
        guard device != committer.device, case .active(let role) = committer.account.standing(of: device) else {
            return false
        }
        return role != .relayOnly
    }

    // MARK: Statements

    /// Takes in the statements of a device.
    /// - Parameters:
    ///   - answer: The answer of the device, to a question of this one.
    ///   - device: The device; statements of other accounts' devices, and of relays, are not kept.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when nothing changed.
    /// - Throws: Any error of the store.
    package func note(
        _ answer: RetentionAnswer,
        by device: DeviceID,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        guard mayHold(device) else { return CommitNotice() }
        var hasChanged = false
        for status in answer.statuses {
            guard let holds = status.word.isOfHolder, try transaction.payload(status.payload)?.isAsset == true else {
                continue
            }
            let row = HolderRow.noting(
                holds,
                of: status.payload,
                by: device,
                at: committer.soberMilliseconds,
                over: try transaction.holder(of: status.payload, device: device)
            )
            guard let row else { continue }
            try transaction.save(row)
            hasChanged = true
        }
        return CommitNotice(number: hasChanged ? try transaction.nextCommitNumber() : nil)
    }

    /// Returns the machines that are known to hold a content.
    /// - Parameters:
    ///   - payload: The payload.
    ///   - transaction: The store.
    /// - Returns: This device, other active devices of this account, and relays.
    /// - Throws: Any error of the store.
    package func copies(of payload: PayloadID, in transaction: some NodeTransaction) throws -> ContentCopies {
        ContentCopies(
            isHere: try transaction.payload(payload)?.state == .present,
            holders: try transaction.holders(of: payload).filter { $0.holds && mayHold($0.device) },
            relayCount: try Custody(committer).promises(about: payload, in: transaction).count
        )
    }

    // MARK: Questions

    /// Finds contents about which a device is to be asked.
    ///
    /// Those about which it has made no statement come first, then those with the oldest statements.
    /// - Parameters:
    ///   - search: The device, and the place at which the search goes on.
    ///   - transaction: The store.
    /// - Returns: The contents; none for a device that cannot hold any.
    /// - Throws: Any error of the store.
    /// - Complexity: O(``searchedCount``).
    package func search(_ search: HolderSearch, in transaction: some NodeTransaction) throws -> HolderFinding {
        guard mayHold(search.device) else { return HolderFinding() }
        switch search.place {
        case .unstated(let number): return try unstated(by: search.device, after: number, in: transaction)
        case .overdue(let last):
            let rows = try transaction.holders(
                device: search.device,
                dueBy: committer.soberMilliseconds,
                after: last,
                limit: Limits.retentionCountMax
            )
            let contents = try rows.compactMap { try content($0.payload, in: transaction) }
            let isAtEnd = rows.count < Limits.retentionCountMax
            return HolderFinding(contents: contents, next: isAtEnd ? nil : .overdue(after: rows.last))
        }
    }

    private func unstated(
        by device: DeviceID,
        after number: UInt64,
        in transaction: some NodeTransaction
    ) throws -> HolderFinding {
        let assets = try transaction.presentAssets(after: number, limit: Self.searchedCount)
        var contents: [HolderFinding.Content] = []
        for asset in assets {
            guard try transaction.holder(of: asset.id, device: device) == nil,
                let content = try content(asset.id, in: transaction)
            else { continue }
            contents.append(content)
            if contents.count == Limits.retentionCountMax {
                return HolderFinding(contents: contents, next: .unstated(after: asset.number))
            }
        }
        guard assets.count == Self.searchedCount, let last = assets.last else {
            return HolderFinding(contents: contents, next: .overdue(after: nil))
        }
        return HolderFinding(contents: contents, next: .unstated(after: last.number))
    }

    private func content(_ payload: PayloadID, in transaction: some NodeTransaction) throws -> HolderFinding.Content? {
        let zones = try Evictions(committer).zones(of: payload, in: transaction)
        return zones.isEmpty ? nil : HolderFinding.Content(payload: payload, zones: zones)
    }

    // MARK: The end of statements

    /// A device with statements that does not belong to the account, or not any more.
    private func goneDevice(in transaction: some NodeTransaction) throws -> DeviceID? {
        try transaction.statingDevices().first { !mayHold($0) }
    }

    /// Whether ``forgetGone(in:)`` has something to do.
    func hasGone(in transaction: some NodeTransaction) throws -> Bool { try goneDevice(in: transaction) != nil }

    /// Forgets some statements of a device that does not belong to the account any more.
    /// - Returns: Whether there may be more.
    func forgetGone(in transaction: inout some NodeTransaction) throws -> Bool {
        guard let device = try goneDevice(in: transaction) else { return false }
        return try transaction.removeHolders(device: device, limit: Self.forgottenCount)
    }
}

/// The machines that are known to hold a content.
package struct ContentCopies: Hashable, Sendable {
    /// Whether all of it is on this device.
    package let isHere: Bool
    /// The statements of other devices of this account that they hold it, by device.
    package let holders: [HolderRow]
    /// The number of relays that have promised to keep it; none of them can open it.
    package let relayCount: Int

    /// Describes copies.
    /// - Parameters: as the properties of the same names.
    package init(isHere: Bool, holders: [HolderRow], relayCount: Int) {
        (self.isHere, self.holders, self.relayCount) = (isHere, holders, relayCount)
    }

    /// The number of machines that can open it, this one included.
    package var machineCount: Int { holders.count + (isHere ? 1 : 0) }
}

extension RetentionStatus.Word {
    /// Whether it says that the device holds the content; `nil` where it says nothing about that.
    fileprivate var isOfHolder: Bool? {
        switch self {
        case .promised, .held: true
        // A device that is about to drop a content is none to count on.
        case .absent, .evicting: false
        case .refused: nil
        }
    }
}
