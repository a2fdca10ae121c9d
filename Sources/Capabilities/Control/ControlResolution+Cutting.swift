import Identity
import Wire

// Operations that are decided already, where the cuts of their logs move.
extension ControlResolution {
    /// Voids the operations above the cuts of the logs under a right, which have become stricter.
    ///
    /// The operation that ended an ownership stands above the cut that it makes. For leaves, ``leavesStand(under:)``
    /// decides.
    /// - Parameters:
    ///   - right: The right.
    ///   - endings: The operations that had ended the right before; nil if none had voided operations above a cut.
    ///   - limits: The effective size of each log before; other logs are as they were. Nil if any may be cut shorter.
    /// - Returns: False if that had an effect.
    /// - Complexity: O(logs · (log n + endings)), and O(operations that become void).
    mutating func cutBack(
        _ right: Hash,
        from endings: [Ending]? = nil,
        below limits: [ActorLane: LogPosition]? = nil
    ) -> Bool {
        guard let account = state.account(of: right), let entries = entries[right] else { return true }
        let end = state.ownership(with: right)?.end?.entry
        for log in entries.logs {
            guard let last = log.last else { continue }
            var index = log.endIndex
            if let limits {
                guard let limit = limits[last.log] else { continue }
                index = log.place(behind: limit.size)
            } else if let endings {
                switch cut(of: last, by: endings) {
                case .none: break
                case .at(let size, _): index = log.place(behind: size)
                case .zero, .waiting: continue
                }
            }
            let cut = cut(of: last)
            while index > log.startIndex, !cut.admits(entries[index - 1].place.counter) {
                index -= 1
                let entry = entries[index]
                if entry.hash == end || state.verdicts[entry.hash] == .void(.aboveCut) { continue }
                if case .leave = entry.body, state.verdicts[entry.hash] == .counts { continue }
                guard speaks(entry.device, for: account) == .counts else { continue }
                guard !entry.body.rules, self.entries[entry.hash] == nil else { return false }
                state.verdicts[entry.hash] = .void(.aboveCut)
                noteCut(entry)
            }
        }
        return true
    }

    /// Whether the effective leaves under a right are effective by the cuts that bind them.
    /// - Complexity: O(leaves of the account · (log n + endings that are no leaves of their depth)).
    func leavesStand(under right: Hash) -> Bool {
        guard let record = state.capabilities[right], let all = leaves[record.capability.audience] else { return true }
        let said = all.filter { $0.right == right }
        if said.isEmpty { return true }
        let endings = endingsOfLeaves(under: record)
        let places = entries[right] ?? []
        return said.allSatisfy { departure in
            guard let entry = places.entry(at: departure.ending.place, departure.ending.entry) else { return false }
            return cut(of: entry, by: endings).admits(entry.place.counter)
        }
    }

    /// The endings that bear on leaves under a capability: all of it but for leaves of its own depth.
    func endingsOfLeaves(under record: CapabilityRecord) -> [Ending] {
        let depth = record.chain.count
        let others = (leaves[record.capability.audience] ?? []).filter { $0.depth >= depth }
        let own = Set(others.map(\.ending.entry))
        return record.revocations + record.leaves.filter { !own.contains($0.entry) }
    }

    /// Returns the cut of an operation's log.
    func cut(of entry: ControlEntry) -> EffectiveCut {
        state.cut(of: entry.log, device: entry.device, under: entry.right, directory: directory)
    }

    /// Returns the cut of an operation's log by given endings of its right.
    func cut(of entry: ControlEntry, by endings: [Ending]) -> EffectiveCut {
        state.cut(of: entry.log, device: entry.device, under: entry.right, by: endings, directory: directory)
    }
}

extension [ControlEntry] {
    /// The logs of a list by place, of which no two devices claim one.
    /// - Complexity: O(logs · log n).
    var logs: [ArraySlice<ControlEntry>] {
        var logs: [ArraySlice<ControlEntry>] = []
        var end = count
        while end > 0 {
            let start = firstPlace(of: self[end - 1].place.actor, below: end)
            logs.append(self[start..<end])
            end = start
        }
        return logs
    }

    /// Finds an operation in a list by place.
    /// - Complexity: O(log n).
    func entry(at place: Dot, _ hash: Hash) -> ControlEntry? {
        let index = partitioningIndex { $0.place == place ? $0.hash < hash : $0.place < place }
        return index < count && self[index].hash == hash ? self[index] : nil
    }

    /// The index at which, in a list by place, the operations of an actor that end at a place begin.
    /// - Complexity: O(log n).
    func firstPlace(of actor: ActorID, below end: Int) -> Int {
        self[..<end].partitioningIndex { $0.place.actor < actor }
    }
}

extension ArraySlice<ControlEntry> {
    /// The index at which, in a log, the operations behind a counter begin.
    /// - Complexity: O(log n).
    func place(behind counter: UInt64) -> Int { partitioningIndex { $0.place.counter <= counter } }
}
