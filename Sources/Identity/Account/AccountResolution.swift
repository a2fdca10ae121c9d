import Sodium
import Wire

/// Decides which entries of an account log count, as a function of their set.
///
/// An entry depends on others in two ways.
///
/// - *Support*: a device's entry needs an entry among its ancestors that counts and brought the device in with all
///   rights; a recovery entry needs the entry that put its key in place.
/// - *Attack*: a removal attacks every entry of the removed device that is neither a head named by its cut nor an
///   ancestor of one. Replacing the recovery key attacks every entry signed with the old key that it had not seen. The
///   genesis is never attacked.
///
/// An entry counts if something supports it and nothing that counts attacks it. Where the dependencies form no circle
/// that is a definition. A circle means that removals contradict each other: two devices remove each other, neither
/// having seen the other's entry. Inside a circle entries are decided in the order of their authors' precedence, and
/// only attacks and support from authors of higher precedence (support also from the author's own earlier entries) have
/// an effect:
///
/// 1. the recovery key,
/// 2. devices, the earlier-added one first.
///
/// So of two devices that remove each other the earlier-added one stays, and the recovery key beats both. What is *not*
/// in a circle is decided without precedence: a device that was added first and then removed cannot, with entries that
/// name an old past, remove or add anybody, except by contradicting the very removal that put it out, itself or through
/// a device that it lets in. The recovery key answers that.
///
/// Deciding contradictions by arguments and attacks follows P. M. Dung, "On the acceptability of arguments", Artificial
/// Intelligence 77 (1995); the order inside of circles is ours.
struct AccountResolution {
    private let nodes: [AccountNode]

    /// Whether each entry counts, by its index.
    let counting: [Bool]

    /// Decides a set of entries, parents before children.
    /// - Complexity: O(n) without removals, else O(n · removals).
    init(nodes: [AccountNode]) {
        self.nodes = nodes
        let graph = AccountArguments(nodes: nodes)
        counting =
            graph.attackers.allSatisfy(\.isEmpty)
            // Support alone cannot fail: taking an entry in has checked that there is some.
            ? Array(repeating: true, count: nodes.count)
            : Self.decide(graph, nodes: nodes)
    }

    private static func decide(_ graph: AccountArguments, nodes: [AccountNode]) -> [Bool] {
        let precedence = precedences(of: nodes)
        var counting = Array(repeating: false, count: nodes.count)
        var isDecided = counting
        for circle in DependencyCircles.find(in: graph) {
            let ordered = circle.sorted { left, right in
                precedence[left] == precedence[right]
                    ? nodes[left].place < nodes[right].place : precedence[left] < precedence[right]
            }
            let members = Set(circle)
            for index in ordered {
                let isAttacked = graph.attackers[index].contains { attacker in
                    guard isDecided[attacker], counting[attacker] else { return false }
                    return !members.contains(attacker) || precedence[attacker] < precedence[index]
                }
                // A supporter that is not decided yet is of the same circle, by a later-added device that brought this
                // one in a second time. It does not help: taking it to count would let devices that only vouch for
                // each other lift themselves into the account.
                let isSupported =
                    graph.supporters[index].isEmpty || graph.supporters[index].contains { counting[$0] }
                counting[index] = isSupported && !isAttacked
                isDecided[index] = true
            }
        }
        return counting
    }

    /// Who beats whom in a circle: the author's tier, then the place of what brought the author in.
    private struct Precedence: Comparable {
        let tier: Int
        let place: AccountPlace

        static func < (left: Self, right: Self) -> Bool {
            left.tier == right.tier ? left.place < right.place : left.tier < right.tier
        }
    }

    private static func precedences(of nodes: [AccountNode]) -> [Precedence] {
        var firstAdditions: [DeviceID: AccountPlace] = [:]
        for node in nodes {
            guard let device = node.addition?.device else { continue }
            firstAdditions[device] = min(firstAdditions[device] ?? node.place, node.place)
        }
        return nodes.map { node in
            guard let device = node.authorDevice else { return Precedence(tier: 0, place: node.place) }
            return Precedence(tier: 1, place: firstAdditions[device] ?? node.place)
        }
    }

    /// What the entries that count say together.
    /// - Parameter account: Which account it is.
    /// - Returns: The account's state.
    func state(of account: AccountID) -> AccountState {
        let ordered = nodes.indices.filter { counting[$0] }.sorted { nodes[$0].place < nodes[$1].place }
        var removals: [DeviceID: [DeviceRemoval]] = [:]
        for index in ordered {
            guard case .removeDevice(let device, let cuts) = nodes[index].entry.action else { continue }
            removals[device, default: []].append(DeviceRemoval(nonce: nodes[index].entry.nonce, cuts: cuts))
        }
        let renewals = Dictionary(grouping: ordered.compactMap { nodes[$0].renewal }, by: \.device)
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
                name: addition.name,
                addedAt: devices.count,
                status: removals[addition.device].map { .removed(cuts: $0.map(\.cuts)) } ?? .active
            )
        }
        var recoveryKeys = recoveryKeys()
        return AccountState(
            account: account,
            devices: devices,
            recoveryKey: recoveryKeys.removeLast(),
            earlierRecoveryKeys: recoveryKeys.reversed(),
            pairKey: pairKey(among: ordered, removed: removals),
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

    /// Follows the replacements that count from the genesis on; the last key is the present one.
    private func recoveryKeys() -> [VerifyingKey] {
        var replacements: [Int: Int] = [:]
        for index in nodes.indices where counting[index] {
            guard case .replaceRecoveryKey = nodes[index].entry.action, let origin = nodes[index].recoveryOrigin else {
                continue
            }
            assert(replacements[origin] == nil, "two replacements of one key attack each other, so one counts")
            replacements[origin] = index
        }
        var origins = [0]
        while let last = origins.last, let next = replacements[last] { origins.append(next) }
        do {
            return try origins.map { try VerifyingKey(bytes: nodes[$0].recoveryKeyBytes ?? []) }
        } catch {
            preconditionFailure("an entry that sets a recovery key has 32 bytes of it: \(error)")
        }
    }
}
