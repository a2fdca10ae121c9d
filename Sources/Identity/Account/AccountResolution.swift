import Sodium
import Wire

/// Decides which entries of an account log are effective, as a function of their set.
///
/// Three kinds of entries are decided one after the other, each by the verdicts before it:
///
/// 1. *Entries by the recovery key.* The keys form a chain: the genesis names the first one, and of the replacements signed
///    with a key the first by (generation, hash) names the next. An entry is effective if its key is in the chain
///    and, where that key was replaced, the replacement has seen it.
/// 2. *Removals by devices*, ancestors first. A removal is judged by its own past: it is effective if its author
///    belonged to the account by its ancestors. So a device that had seen its own removal removes no other, and a
///    removal that was made without having seen one stands, regardless of the writes of other devices: of two devices
///    that remove each other both are removed. Removals by the recovery key are the exception. They bear on every entry
///    that they do not spare.
/// 3. *All other entries by devices*, ancestors first. One is effective if an effective addition among its ancestors
///    added its author with all rights, and no effective removal attacks it: a removal attacks every entry by the
///    removed device that is neither a head named by its cut nor an ancestor of one.
///
/// Nothing here depends on an ineffective entry: of 1 and 2 only the effective ones matter, and each is judged by its
/// ancestors and by the recovery key; 3 asks for effective additions and removals. So a log may drop ineffective
/// entries from which no effective entry descends, without a change to the verdicts on the others. ``AccountRoom``
/// rests on that.
struct AccountResolution {
    private let nodes: [AccountNode]
    private let recoveryChain: [Int]

    /// Whether each entry is effective, by its index.
    let counting: [Bool]

    /// Decides a set of entries, parents before children.
    /// - Complexity: O(n) without removals, else O(removals · (n + additions · n / 64)) at worst.
    init(nodes: [AccountNode]) {
        self.nodes = nodes
        recoveryChain = Self.recoveryChain(of: nodes)
        let graph = AccountArguments(nodes: nodes)
        var counting = Self.recoveryVerdicts(on: nodes, chain: recoveryChain)
        let removals = Self.decideRemovals(graph, nodes: nodes, counting: &counting)
        for (index, node) in nodes.enumerated() where index > 0 && node.authorDevice != nil && !node.isRemoval {
            counting[index] =
                graph.supporters[index].contains { counting[$0] } && !graph.attackers[index].intersects(removals)
        }
        self.counting = counting
    }

    /// Returns the entries that made the account's recovery keys, the present one last.
    private static func recoveryChain(of nodes: [AccountNode]) -> [Int] {
        var replacements: [Int: Int] = [:]
        for (index, node) in nodes.enumerated() {
            guard case .replaceRecoveryKey = node.entry.action, let origin = node.recoveryOrigin else { continue }
            if let first = replacements[origin], nodes[first].place < node.place { continue }
            replacements[origin] = index
        }
        var chain = [0]
        while let last = chain.last, let next = replacements[last] { chain.append(next) }
        return chain
    }

    /// Decides the genesis and the entries by the recovery key; all other entries are still open.
    private static func recoveryVerdicts(on nodes: [AccountNode], chain: [Int]) -> [Bool] {
        let successors = Dictionary(uniqueKeysWithValues: zip(chain, chain.dropFirst().map(Optional.some) + [nil]))
        return nodes.enumerated().map { index, node in
            guard index > 0 else { return true }
            guard let origin = node.recoveryOrigin, let successor = successors[origin] else { return false }
            guard let successor else { return true }
            return index == successor || nodes[successor].ancestors.contains(index)
        }
    }

    /// Decides the removals by devices, each by its own past and by the entries of the recovery key.
    /// - Returns: All effective removals.
    private static func decideRemovals(
        _ graph: AccountArguments,
        nodes: [AccountNode],
        counting: inout [Bool]
    ) -> EntrySet {
        var byRecovery = EntrySet()
        for index in graph.removals where counting[index] { byRecovery.insert(index) }
        var removals = byRecovery
        for index in graph.removals where nodes[index].authorDevice != nil {
            var seen = nodes[index].ancestors.intersection(removals)
            seen.formUnion(byRecovery)
            guard !graph.attackers[index].intersects(seen),
                isSupported(index, by: graph, under: seen, nodes: nodes, counting: counting)
            else { continue }
            counting[index] = true
            removals.insert(index)
        }
        return removals
    }

    /// Whether the author of a removal was added to the account, by the removal's ancestors.
    ///
    /// Not recursive: a hostile log may be one long chain of additions.
    private static func isSupported(
        _ removal: Int,
        by graph: AccountArguments,
        under seen: EntrySet,
        nodes: [AccountNode],
        counting: [Bool]
    ) -> Bool {
        var standing = EntrySet()
        for index in graph.additions {
            guard index < removal else { break }
            guard nodes[removal].ancestors.contains(index) else { continue }
            let isStanding =
                index == 0 || nodes[index].authorDevice == nil
                ? counting[index]
                : graph.supporters[index].contains { standing.contains($0) }
                    && !graph.attackers[index].intersects(seen)
            if isStanding { standing.insert(index) }
        }
        return graph.supporters[removal].contains { standing.contains($0) }
    }

    /// Combines the effective entries into the account's state.
    /// - Parameter account: The account.
    /// - Returns: The account's state.
    func state(of account: AccountID) -> AccountState {
        let ordered = nodes.indices.filter { counting[$0] }.sorted { nodes[$0].place < nodes[$1].place }
        var removals: [DeviceID: [DeviceRemoval]] = [:]
        for index in ordered {
            guard case .removeDevice(let removal) = nodes[index].entry.action else { continue }
            removals[removal.device, default: []].append(removal)
        }
        let renewals = Dictionary(grouping: ordered.compactMap { nodes[$0].renewal }, by: \.device)
        let names = names(among: ordered)
        var devices: [DeviceID: AccountState.DeviceEntry] = [:]
        for index in ordered {
            guard let addition = nodes[index].addition, let certificate = nodes[index].certificate,
                devices[addition.device] == nil
            else { continue }
            devices[addition.device] = AccountState.DeviceEntry(
                // The newest; of equally new ones the first.
                certificate: (renewals[addition.device] ?? []).reduce(certificate) { $1.renews($0) ? $1 : $0 },
                addedMilliseconds: certificate.certificate.issued,
                role: addition.role,
                name: names[addition.device] ?? addition.name,
                addedAt: devices.count,
                status: removals[addition.device] == nil ? .active : .removed
            )
        }
        var recoveryKeys = recoveryKeys()
        return AccountState(
            account: account,
            name: names[nil],
            devices: devices,
            recoveryKey: recoveryKeys.removeLast(),
            earlierRecoveryKeys: recoveryKeys.reversed(),
            pairKey: pairKey(among: ordered, removed: removals),
            fleet: FleetState(nodes, ordered: ordered, removed: Set(removals.keys)),
            removals: removals
        )
    }

    /// The pair key that holds: see ``AccountState/pairKey``.
    private func pairKey(among ordered: [Int], removed: [DeviceID: [DeviceRemoval]]) -> AgreementPublicKey? {
        var best: (tier: Int, bytes: [UInt8])?
        for index in ordered {
            guard case .pairKey(let bytes) = nodes[index].entry.action else { continue }
            let tier = nodes[index].authorDevice.map { removed[$0] == nil ? 1 : 2 } ?? 0
            if best.map({ tier < $0.tier }) ?? true { best = (tier, bytes) }
        }
        // An entry that does not have 32 bytes of it was not taken in.
        return best.flatMap { try? AgreementPublicKey(bytes: $0.bytes) }
    }

    /// The names that hold, that of the account itself under `nil`: of each subject the newest by (generation, hash).
    private func names(among ordered: [Int]) -> [DeviceID?: String] {
        ordered.reduce(into: [:]) { names, index in
            guard let naming = nodes[index].naming else { return }
            names[naming.device] = naming.name
        }
    }

    /// The account's recovery keys from the first to the present one.
    private func recoveryKeys() -> [VerifyingKey] {
        do {
            return try recoveryChain.map { try VerifyingKey(bytes: nodes[$0].recoveryKeyBytes ?? []) }
        } catch {
            preconditionFailure("an entry that sets a recovery key has 32 bytes of it: \(error)")
        }
    }
}
