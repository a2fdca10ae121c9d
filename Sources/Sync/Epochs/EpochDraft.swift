import Wire

/// The statements that a plan needs, as they are found.
struct EpochDraft {
    private let facts: EpochFacts
    /// To try a key is as much work as to seal to it, and a device that lacks one epoch as a rule lacks
    /// several.
    private var tried: [DeviceID: Bool] = [:]

    private var graph: EpochGraph { facts.graph }

    init(_ facts: EpochFacts) {
        self.facts = facts
    }

    /// Whether a reader lacks an epoch and may not have its key.
    mutating func hasNewcomers(to epoch: (key: Hash, value: EpochGraph.Epoch)) -> Bool {
        lacking(epoch.key, epoch.value).contains { !mayHave($0, epoch.value) }
    }

    /// The beginning of an epoch behind those that no other one follows.
    mutating func beginning() -> EpochPlan.Step {
        let deepest = graph.last.sorted { left, right in
            let (one, other) = (graph.epochs[left]?.depth ?? 0, graph.epochs[right]?.depth ?? 0)
            return one == other ? left < right : one > other
        }
        let previous = Array(deepest.prefix(Limits.epochPreviousCountMax))
        let chain = previous.filter { hash in
            guard facts.isUsable(hash), let epoch = graph.epochs[hash] else { return false }
            return facts.readers.keys.allSatisfy { device in
                epoch.readers.contains(device) || mayHave(device, epoch) || !isReachable(device)
            }
        }
        return .begin(previous: previous.sorted(), chain: chain.sorted())
    }

    /// The deliveries of keys to readers that lack them: first that of the epoch to write under, then
    /// those of the epochs to which its chain does not lead.
    mutating func deliveries(beside best: (key: Hash, value: EpochGraph.Epoch)) -> [EpochPlan.Step] {
        var others = otherDeliveries(beside: best.key)
        if !others.isEmpty {
            let reached = graph.chained(from: best.key)
            for hash in others.keys where reached.contains(hash) {
                let denying = others[hash]?.filter { graph.isDenied(hash, by: $0) } ?? []
                others[hash] = denying.isEmpty ? nil : denying
            }
        }
        assert(
            others.allSatisfy { hash, devices in
                devices.allSatisfy { graph.epochs[hash]?.supplied.contains($0) == false }
            },
            "a key is delivered to devices that do not have it"
        )
        assert(others[best.key] == nil, "the key of new records is delivered first, and once")
        let own = deliverable(best.key)
        let all = (own.isEmpty ? [] : [(best.key, own)]) + others.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return all.map { .deliver($0.0, to: $0.1) }
    }

    /// The devices to which the keys of other epochs can be delivered.
    private mutating func otherDeliveries(beside best: Hash) -> [Hash: [DeviceID]] {
        var others: [Hash: [DeviceID]] = [:]
        // Where a device denies having a key, any link may lead nowhere.
        let beginnings = graph.isDenied ? Set(graph.epochs.keys) : graph.heads
        var queue = beginnings.filter { $0 != best }.sorted()
        var seen = Set(queue)
        while let hash = queue.popLast() {
            // A key that every device has gives every device the keys that its chain leads to.
            guard let epoch = graph.epochs[hash], !lacking(hash, epoch).isEmpty else { continue }
            let devices = deliverable(hash)
            if !devices.isEmpty { others[hash] = devices }
            for link in epoch.content.chain where link.epoch != best && seen.insert(link.epoch).inserted {
                queue.append(link.epoch)
            }
        }
        return others
    }

    private mutating func deliverable(_ hash: Hash) -> [DeviceID] {
        guard facts.isUsable(hash), let epoch = graph.epochs[hash] else { return [] }
        return lacking(hash, epoch).filter { mayHave($0, epoch) }
    }

    private mutating func lacking(_ hash: Hash, _ epoch: EpochGraph.Epoch) -> [DeviceID] {
        facts.readers.keys.filter { device in
            // A device that denies having received it from this device would deny it again.
            !epoch.supplied.contains(device) && isReachable(device)
                && facts.author.map { graph.isDoubted($0, of: hash, to: device) } != true
        }.sorted()
    }

    /// Whether a device gets the key of an epoch: if the zone shows its past to later readers, or if
    /// its account has the key, since its siblings may as well deliver it then.
    private func mayHave(_ device: DeviceID, _ epoch: EpochGraph.Epoch) -> Bool {
        if facts.history == .full { return true }
        let accounts = Set(epoch.readers.compactMap { facts.readers[$0] })
        return facts.readers[device].map { accounts.contains($0) } ?? false
    }

    private mutating func isReachable(_ device: DeviceID) -> Bool {
        if let known = tried[device] { return known }
        let answer = facts.isAddressable(device)
        tried[device] = answer
        return answer
    }
}
