import Identity
import Wire

/// What a device says of another one of its account that was removed: how much of its logs under one right counts.
struct DeviceStatement: Hashable, Sendable {
    /// The device that says it.
    let author: DeviceID
    /// The device of which it speaks.
    let device: DeviceID
    /// Up to where logs count, ascending, as far as the author can know; one that is not listed is cut at zero.
    let cuts: [LogPosition]
}

extension ControlResolution {
    /// Notes what devices that stand in their account say, under a right, of others that it removed.
    ///
    /// A statement concerns logs under its own right alone, so that it depends on nothing but what ends that right at smaller depths. A
    /// transfer and a leave do not cut it.
    /// - Parameters:
    ///   - right: The right.
    ///   - account: The account that speaks under it.
    mutating func noteStatements(under right: Hash, of account: AccountID) {
        for log in logs(under: right) {
            guard let first = log.first, directory.isFull(first.device, of: account) else { continue }
            let held =
                state.capabilities[right] == nil
                ? EffectiveCut.none
                : state.heldCut(of: first.log, device: first.device, under: right, directory: directory)
            for entry in log where held.admits(entry.place.counter) {
                guard case .deviceCut(let cut) = entry.body, cut.device != entry.device else { continue }
                state.verdicts[entry.hash] = .counts
                state.statements[right, default: []].append(
                    DeviceStatement(author: entry.device, device: cut.device, cuts: entry.inView(cut.cuts))
                )
            }
        }
    }

    /// A leave or a transfer as the end of a right.
    func ending(_ entry: ControlEntry, cuts: [LogPosition], by account: AccountID) -> Ending {
        Ending(entry, cuts: cuts, isConfirmed: false, isLasting: directory.isFull(entry.device, of: account))
    }
}

extension ControlState {
    /// How much of a log counts by the word of its account.
    ///
    /// Of a removed device this is said in the zone, by devices that the account has and under the right that the log is written under:
    /// what those say that removed it, if they do, else what all others say, and of several the strictest. While nobody says anything the
    /// log is frozen, unless its right was ended by somebody who does not have to be asked.
    /// - Parameters:
    ///   - log: The log.
    ///   - device: The device that the log's actor is an incarnation of.
    ///   - right: What its heads name as their capability.
    ///   - account: The account that speaks under that right.
    ///   - directory: The accounts.
    /// - Returns: The cut.
    func accountCut(
        of log: ActorLane,
        device: DeviceID,
        under right: Hash,
        in account: AccountID,
        directory: some AccountDirectory
    ) -> LogCut {
        switch directory.cut(of: log, device: device, in: account, zone: zone) {
        case .decided(let cut): return cut
        case .stated(let frozen):
            let believed = believed(of: device, under: right, in: account, directory: directory)
            if believed.isEmpty { return endings(of: right).contains(where: \.isLasting) ? .none : frozen }
            return believed.reduce(.none) { $0.stricter(LogCut($1.cuts.position(of: log))) }
        }
    }

    /// The statements about a removed device that are believed.
    func believed(
        of device: DeviceID,
        under right: Hash,
        in account: AccountID,
        directory: some AccountDirectory
    ) -> [DeviceStatement] {
        let all = (statements[right] ?? []).filter { $0.device == device }
        guard !all.isEmpty else { return [] }
        let removers = directory.removers(of: device, in: account)
        let first = all.filter { removers.contains($0.author) }
        return first.isEmpty ? all : first
    }
}

extension AccountDirectory {
    /// Whether an account has a device with all rights: what it says for the account is to be believed.
    func isFull(_ device: DeviceID, of account: AccountID) -> Bool {
        if case .active(.full, _) = standing(of: device, in: account) { true } else { false }
    }
}
