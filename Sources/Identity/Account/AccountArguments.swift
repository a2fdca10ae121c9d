import Wire

/// The entries that support and that attack each entry of an account log; see ``AccountResolution``.
struct AccountArguments {
    /// By entry of a device: the additions among its ancestors that brought its author in with all rights.
    let supporters: [[Int]]
    /// For each entry of a device: the removals of its author whose cut does not keep it.
    let attackers: [EntrySet]
    /// Every addition of a device with all rights, the genesis included, ascending.
    let additions: [Int]
    /// Every removal, ascending.
    let removals: [Int]

    /// Reads both off the entries.
    /// - Complexity: O(n · (additions of one device + removals)).
    init(nodes: [AccountNode]) {
        var additionsByDevice: [DeviceID: [Int]] = [:]
        var authored: [DeviceID: [Int]] = [:]
        var additions: [Int] = []
        for (index, node) in nodes.enumerated() {
            if let addition = node.addition, addition.role == .full {
                additionsByDevice[addition.device, default: []].append(index)
                additions.append(index)
            }
            if let device = node.authorDevice, index > 0 {
                authored[device, default: []].append(index)
            }
        }
        supporters = nodes.enumerated().map { index, node in
            guard index > 0, let device = node.authorDevice else { return [] }
            return (additionsByDevice[device] ?? []).filter { node.ancestors.contains($0) }
        }
        var attackers = Array(repeating: EntrySet(), count: nodes.count)
        var removals: [Int] = []
        for (index, node) in nodes.enumerated() {
            guard case .removeDevice(let removal) = node.entry.action else { continue }
            removals.append(index)
            guard let targets = authored[removal.device] else { continue }
            let spared = Self.past(of: removal.keeping, below: node, in: nodes)
            for target in targets where target != index && !spared.contains(target) {
                attackers[target].insert(index)
            }
        }
        self.additions = additions
        self.removals = removals
        self.attackers = attackers
    }

    /// The entries that a cut spares: its heads and their ancestors.
    private static func past(of heads: [Hash], below removal: AccountNode, in nodes: [AccountNode]) -> EntrySet {
        var past = EntrySet()
        guard !heads.isEmpty else { return past }
        let wanted = Set(heads)
        for (index, node) in nodes.enumerated() where wanted.contains(node.hash) {
            assert(removal.ancestors.contains(index), "a cut outside of the removal's past was refused")
            past.formUnion(node.ancestors)
            past.insert(index)
        }
        return past
    }
}
