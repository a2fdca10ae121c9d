import Wire

/// What supports and what attacks each entry of an account log; see ``AccountResolution``.
struct AccountArguments {
    /// By entry: the entries one of which must count.
    let supporters: [[Int]]
    /// By entry: the entries none of which may count.
    let attackers: [[Int]]

    /// Reads both off the entries.
    /// - Complexity: O(n · (additions of one device + removals)).
    init(nodes: [AccountNode]) {
        var additions: [DeviceID: [Int]] = [:]
        var authored: [DeviceID: [Int]] = [:]
        var signedWith: [Int: [Int]] = [:]
        for (index, node) in nodes.enumerated() {
            if let addition = node.addition, addition.role == .full {
                additions[addition.device, default: []].append(index)
            }
            if let device = node.authorDevice, index > 0 {
                authored[device, default: []].append(index)
            }
            if let origin = node.recoveryOrigin {
                signedWith[origin, default: []].append(index)
            }
        }
        supporters = nodes.enumerated().map { index, node in
            guard index > 0 else { return [] }
            if let origin = node.recoveryOrigin { return [origin] }
            guard let device = node.authorDevice else { return [] }
            return (additions[device] ?? []).filter { node.ancestors.contains($0) }
        }
        var attackers: [[Int]] = Array(repeating: [], count: nodes.count)
        for (index, node) in nodes.enumerated() {
            switch node.entry.action {
            case .removeDevice(let device, let cuts):
                let spared = Self.past(of: cuts.accountLog, below: node, in: nodes)
                for target in authored[device] ?? [] where target != index && !spared.contains(target) {
                    attackers[target].append(index)
                }
            case .replaceRecoveryKey:
                guard let origin = node.recoveryOrigin else { continue }
                for target in signedWith[origin] ?? [] where target != index && !node.ancestors.contains(target) {
                    attackers[target].append(index)
                }
            case .genesis, .addDevice, .pairKey, .renewCertificate, .unknown:
                continue
            }
        }
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
