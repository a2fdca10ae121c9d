import Wire

/// The effective sizes of one removed device's logs under one right, as the devices of its account state them.
///
/// Made of the statements that hold: see ``ControlResolution/noteDeviceCuts(under:of:)``.
struct DeviceStatement: Hashable, Sendable {
    /// The effective sizes of logs, ascending; a log that is not listed is cut at zero.
    let cuts: [LogPosition]
    /// Whether a device that is in the account with all rights states this.
    let isStanding: Bool

    /// Returns the cut of a log.
    /// - Complexity: O(log n).
    func cut(of log: ActorLane) -> LogPosition { cuts.cut(of: log) }
}

extension ControlResolution {
    /// Notes the effective sizes of removed devices' logs under a right, as their account's other devices state them.
    ///
    /// If devices that are in the account have made statements about a device, these hold, within the revocations of
    /// the right; else the statements by removed devices hold, within the cuts that the former set for their authors.
    /// Among those that hold, the statements by the removal's witnesses take precedence, and the strictest one of
    /// them holds; without any, the statement holds that keeps most operations effective.
    ///
    /// No statement of a device concerns the device itself, so no decision here depends on itself: the first kind needs no cut of its
    /// authors, and the second none but those that the first kind makes.
    /// - Parameters:
    ///   - right: The right, of which the revocations are known.
    ///   - account: The account that has it.
    /// - Complexity: O(operations under the right), and O(statements · positions).
    mutating func noteDeviceCuts(under right: Hash, of account: AccountID) {
        let said = entries[right].compactMap { entry -> (entry: ControlEntry, body: DeviceCuts)? in
            guard case .deviceCuts(let body) = entry.body else { return nil }
            return (entry, body)
        }
        guard !said.isEmpty else { return }
        let revocations = state.capabilities[right]?.revocations ?? []
        for isStanding in [true, false] {
            var statements: [DeviceID: [DeviceID: [[LogPosition]]]] = [:]
            for (entry, body) in said where speaks(entry.device, isStanding: isStanding, for: account) {
                let bound = state.cut(
                    ofStatement: entry,
                    under: right,
                    of: account,
                    by: revocations,
                    directory: directory
                )
                guard bound.admits(entry.place.counter) else { continue }
                let cuts = entry.inView(body.cuts)
                for device in body.devices where device != entry.device {
                    guard directory.isRemoved(device, from: account),
                        isStanding || state.deviceCuts[right]?[device]?.isStanding != true
                    else { continue }
                    statements[device, default: [:]][entry.device, default: []].append(cuts)
                }
            }
            for (device, byAuthor) in statements {
                statementAuthors[right, default: [:]][device] = Set(byAuthor.keys)
                let witnesses = directory.witnesses(of: device, in: account)
                state.deviceCuts[right, default: [:]][device] = DeviceStatement(
                    cuts: Self.cuts(byAuthor, witnesses: witnesses),
                    isStanding: isStanding
                )
            }
        }
    }

    /// Whether one more statement about removed devices leaves the statements that hold as they are.
    ///
    /// That is so for statements about devices that the account has not removed, for those of a removed device beside
    /// those of a device that stands, and for positions within those that hold, unless a witness of the removal
    /// speaks for the first time.
    /// - Parameters:
    ///   - entry: The operation, which is not among those that were noted.
    ///   - body: The statement.
    ///   - right: The right that it is written under.
    ///   - account: The account that has this right.
    /// - Returns: False where a quick look cannot decide it.
    /// - Complexity: O(devices · positions · log positions).
    func isWithinStatements(
        _ entry: ControlEntry,
        _ body: DeviceCuts,
        under right: Hash,
        of account: AccountID
    ) -> Bool {
        let isStanding = speaks(entry.device, isStanding: true, for: account)
        guard isStanding || speaks(entry.device, isStanding: false, for: account) else { return true }
        let cuts = entry.inView(body.cuts)
        return body.devices.allSatisfy { device in
            guard device != entry.device, directory.isRemoved(device, from: account) else { return true }
            guard let held = state.deviceCuts[right]?[device] else { return false }
            guard held.isStanding == isStanding else { return held.isStanding }
            let hasSpoken = statementAuthors[right]?[device]?.contains(entry.device) ?? false
            let isWitness = directory.witnesses(of: device, in: account).contains(entry.device)
            guard hasSpoken || !isWitness else { return false }
            return cuts.allSatisfy { position in
                let before = held.cuts.position(of: position.key)
                return before != nil && LogPosition.further(before, position) == before
            }
        }
    }

    private func speaks(_ device: DeviceID, isStanding: Bool, for account: AccountID) -> Bool {
        switch directory.standing(of: device, in: account) {
        case .active(.full, _): isStanding
        case .removed(.full, _): !isStanding
        case .active, .removed, .unknownAccount, .unknownDevice: false
        }
    }

    /// Combines the statements about one device.
    private static func cuts(_ byAuthor: [DeviceID: [[LogPosition]]], witnesses: Set<DeviceID>) -> [LogPosition] {
        let furthest = byAuthor.mapValues { $0.reduce([]) { $0.merging($1, LogPosition.further) } }
        let first = furthest.filter { witnesses.contains($0.key) }.values
        guard let one = first.first else { return furthest.values.reduce([]) { $0.merging($1, LogPosition.further) } }
        return first.dropFirst().reduce(one) { $0.intersection($1, LogPosition.stricter) }
    }
}

extension [LogPosition] {
    /// The positions of both lists; of logs that both list one of the two.
    /// - Complexity: O(n log n).
    fileprivate func merging(_ other: Self, _ choose: (LogPosition?, LogPosition?) -> LogPosition?) -> Self {
        if isEmpty { return other }
        var byLog = Dictionary(uniqueKeysWithValues: map { ($0.key, $0) })
        for position in other { byLog[position.key] = choose(byLog[position.key], position) }
        return byLog.values.sorted { $0.key < $1.key }
    }

    /// For each log in both lists, the position that `choose` returns.
    /// - Complexity: O(n log n).
    fileprivate func intersection(_ other: Self, _ choose: (LogPosition, LogPosition) -> LogPosition) -> Self {
        compactMap { position in other.position(of: position.key).map { choose(position, $0) } }
    }
}
