import Wire

/// The limits of an account log, and the choice of the entries that are dropped beyond them.
///
/// Entries are bounded in separate rooms, so that taking rights away never waits for a place that another device has
/// filled:
///
/// - *Effective entries*, with the ancestors that they need. Those by the recovery key have a room of their own. So
///   have removals, and in addition each of the devices that came here first has a few more of them. All other
///   entries are bounded by device and in all. Entries that would exceed a room are not taken in: of the newest ones
///   the last heads go first. Entries that are here already stay.
/// - *Ineffective entries* that no effective entry needs. These are kept only because an entry that is on its way may
///   make them effective. Of a surplus each lineage (a device that an effective entry added, with all that
///   it brought in itself) keeps an equal part, and of its part the first by (generation, hash). Which ones these are is a
///   function of the set.
///
/// A dropped entry is not refused for ever: a peer that holds it sends it again once it is effective there.
/// That dropping entries changes nothing for the others follows from ``AccountResolution``.
struct AccountRoom {
    /// A number of entries and of their bytes.
    struct Size: Equatable, Sendable {
        var entryCount: Int
        var byteCount: Int

        init(_ entryCount: Int, byteCount: Int) {
            self.entryCount = entryCount
            self.byteCount = byteCount
        }

        /// Whether both numbers are within a bound.
        func fits(_ bound: Size) -> Bool {
            entryCount <= bound.entryCount && byteCount <= bound.byteCount
        }

        static func + (left: Size, right: Size) -> Size {
            Size(left.entryCount + right.entryCount, byteCount: left.byteCount + right.byteCount)
        }

        static func - (left: Size, right: Size) -> Size {
            Size(left.entryCount - right.entryCount, byteCount: left.byteCount - right.byteCount)
        }
    }

    /// Entries that are neither removals nor by the recovery key, and all ineffective ones that others need.
    static let plain = Size(1_536, byteCount: 32 * 1_048_576)
    /// The part of ``plain`` that the entries of one device may take.
    static let plainPerDevice = Size(512, byteCount: 8 * 1_048_576)
    /// By how much ``plain`` may be exceeded by entries that a removal or an entry by the recovery key descends from.
    static let inherited = Size(256, byteCount: 4 * 1_048_576)
    /// Removals by devices.
    static let removals = Size(1_024, byteCount: 16 * 1_048_576)
    /// Removals by one of the first devices, regardless of other entries.
    static let removalsPerDevice = Size(8, byteCount: 524_288)
    /// The number of devices, in the order of their arrival here, that have ``removalsPerDevice``.
    static let reservedDeviceCount = 32
    /// Entries by the recovery key.
    static let recovery = Size(256, byteCount: 8 * 1_048_576)
    /// All that are effective or needed.
    static let needed = Size(
        AccountLog.entryCountMax - loose.entryCount,
        byteCount: AccountLog.byteCountMax - loose.byteCount
    )
    /// Ineffective entries that no effective entry needs.
    static let loose = Size(768, byteCount: 4 * 1_048_576)

    /// The effective entries and all of their ancestors.
    let needed: EntrySet
    /// Whether each entry stays.
    private(set) var isKept: [Bool]
    /// Whether an effective entry is dropped.
    private(set) var isFull = false

    private let nodes: [AccountNode]
    private let counting: [Bool]
    private let indices: [Hash: Int]

    private let looseBound: Size
    private let wasNeeded: EntrySet
    /// Removals that counted neither towards ``removals`` nor towards a device's own room when they came.
    private let surplusRemovals: EntrySet

    /// Decides which entries stay.
    /// - Parameters:
    ///   - nodes: All entries, in the order in which they came.
    ///   - counting: Whether each is effective.
    ///   - indices: Their places by name.
    ///   - looseBound: The room for ineffective entries, normally ``loose``.
    ///   - wasNeeded: The entries that were effective or needed before the last ones came: those stay.
    /// - Complexity: O(n · parents + n · log n).
    init(
        nodes: [AccountNode],
        counting: [Bool],
        indices: [Hash: Int],
        looseBound: Size,
        wasNeeded: EntrySet
    ) {
        self.nodes = nodes
        self.counting = counting
        self.indices = indices
        self.looseBound = looseBound
        self.wasNeeded = wasNeeded
        var needed = EntrySet()
        for index in nodes.indices.reversed() where counting[index] && !needed.contains(index) {
            needed.formUnion(nodes[index].ancestors)
            needed.insert(index)
        }
        self.needed = needed
        surplusRemovals = Self.surplusRemovals(among: nodes, counting: counting)
        isKept = Array(repeating: true, count: nodes.count)
        refuseSurplus()
        if !isFull { trimLoose() }
    }

    // MARK: Effective entries

    private enum Kind { case plain, removal, recovery }

    private func kind(of index: Int) -> Kind {
        guard counting[index], index > 0 else { return .plain }
        if nodes[index].authorDevice == nil { return .recovery }
        return nodes[index].isRemoval ? .removal : .plain
    }

    private func size(of index: Int) -> Size { Size(1, byteCount: nodes[index].verified.bytes.count) }

    /// The room taken by the kept entries that are effective or needed.
    private struct Usage {
        var all = Size(0, byteCount: 0)
        var plain = Size(0, byteCount: 0)
        var plainByDevice: [DeviceID: Size] = [:]
        var recovery = Size(0, byteCount: 0)
    }

    /// The order in which surplus is searched for: entries of one device that writes too much go first.
    private enum Bound: CaseIterable { case device, kind, all }

    private mutating func refuseSurplus() {
        let droppable = nodes.indices.filter { needed.contains($0) && !wasNeeded.contains($0) }
        guard !droppable.isEmpty else { return }
        var usage = Usage()
        var childCounts = Array(repeating: 0, count: nodes.count)
        for index in nodes.indices where needed.contains(index) {
            change(&usage, by: index, +)
            for parent in parents(of: index) { childCounts[parent] += 1 }
        }
        for bound in Bound.allCases {
            for index in droppable.reversed()
            where isKept[index] && childCounts[index] == 0 && isSurplus(index, by: bound, usage) {
                isKept[index] = false
                isFull = true
                change(&usage, by: index, -)
                for parent in parents(of: index) { childCounts[parent] -= 1 }
            }
        }
        if isFull { dropOrphans() }
    }

    private func isSurplus(_ index: Int, by bound: Bound, _ usage: Usage) -> Bool {
        switch (bound, kind(of: index)) {
        case (.device, .plain):
            guard let own = nodes[index].authorDevice.flatMap({ usage.plainByDevice[$0] }) else { return false }
            return !own.fits(Self.plainPerDevice)
        case (.device, _): return false
        case (.kind, .plain):
            return !usage.plain.fits(Self.plain) || nodes[index].ancestors.intersects(surplusRemovals)
        case (.kind, .removal): return surplusRemovals.contains(index)
        case (.kind, .recovery): return !usage.recovery.fits(Self.recovery)
        case (.all, _): return !usage.plain.fits(Self.plain + Self.inherited) || !usage.all.fits(Self.needed)
        }
    }

    private func change(_ usage: inout Usage, by index: Int, _ combine: (Size, Size) -> Size) {
        let size = size(of: index)
        usage.all = combine(usage.all, size)
        switch kind(of: index) {
        case .plain:
            usage.plain = combine(usage.plain, size)
            guard let device = nodes[index].authorDevice else { return }
            usage.plainByDevice[device] = combine(usage.plainByDevice[device] ?? Size(0, byteCount: 0), size)
        case .removal: break
        case .recovery: usage.recovery = combine(usage.recovery, size)
        }
    }

    /// The removals for which there is no room, in the order in which they came.
    private static func surplusRemovals(among nodes: [AccountNode], counting: [Bool]) -> EntrySet {
        var firstDevices: Set<DeviceID> = []
        for node in nodes {
            guard firstDevices.count < reservedDeviceCount else { break }
            if let addition = node.addition, addition.role == .full { firstDevices.insert(addition.device) }
        }
        var surplus = EntrySet()
        var common = Size(0, byteCount: 0)
        var own: [DeviceID: Size] = [:]
        for (index, node) in nodes.enumerated() where counting[index] && node.isRemoval {
            guard let device = node.authorDevice else { continue }
            let size = Size(1, byteCount: node.verified.bytes.count)
            let ownNext = (own[device] ?? Size(0, byteCount: 0)) + size
            if (common + size).fits(removals) {
                common = common + size
            } else if firstDevices.contains(device), ownNext.fits(removalsPerDevice) {
                own[device] = ownNext
            } else {
                surplus.insert(index)
            }
        }
        return surplus
    }

    private func parents(of index: Int) -> [Int] {
        nodes[index].entry.parents.compactMap { indices[$0] }
    }

    /// Descendants of an entry that is dropped are dropped as well.
    private mutating func dropOrphans() {
        for index in nodes.indices where isKept[index] && parents(of: index).contains(where: { !isKept[$0] }) {
            isKept[index] = false
        }
    }

    // MARK: Ineffective entries

    private enum Lineage: Hashable { case device(DeviceID), recovery }

    private mutating func trimLoose() {
        let loose = nodes.indices.filter { !needed.contains($0) }
        let all = loose.reduce(Size(0, byteCount: 0)) { $0 + size(of: $1) }
        guard !all.fits(looseBound) else { return }
        let turns = turns(of: loose)
        var used = Size(0, byteCount: 0)
        // An ancestor's turn is not after its descendant's, and its place is before it.
        for (index, _) in turns.sorted(by: { ($0.turn, nodes[$0.index].place) < ($1.turn, nodes[$1.index].place) }) {
            let next = used + size(of: index)
            if next.fits(looseBound), parents(of: index).allSatisfy({ isKept[$0] }) {
                used = next
            } else {
                isKept[index] = false
            }
        }
    }

    /// The lineages take turns, each with its entries by (generation, hash).
    private func turns(of loose: [Int]) -> [(index: Int, turn: Int)] {
        let lineages = lineages()
        var counts: [Lineage: Int] = [:]
        var turnByIndex: [Int: Int] = [:]
        return loose.sorted { nodes[$0].place < nodes[$1].place }.map { index in
            let lineage = lineages[index]
            let own = counts[lineage, default: 0]
            counts[lineage] = own + 1
            let turn = parents(of: index).reduce(own) { max($0, turnByIndex[$1] ?? 0) }
            turnByIndex[index] = turn
            return (index, turn)
        }
    }

    /// The device that answers for each entry: its author, if an effective entry added that one, and otherwise the
    /// one that answers for the first of the additions of its author that it descends from.
    private func lineages() -> [Lineage] {
        var established: Set<DeviceID> = []
        var additions: [DeviceID: [Int]] = [:]
        for (index, node) in nodes.enumerated() {
            guard let addition = node.addition, addition.role == .full else { continue }
            if counting[index] { established.insert(addition.device) }
            additions[addition.device, default: []].append(index)
        }
        var lineages: [Lineage] = []
        lineages.reserveCapacity(nodes.count)
        for node in nodes {
            guard let device = node.authorDevice else {
                lineages.append(.recovery)
                continue
            }
            let first =
                established.contains(device)
                ? nil
                : (additions[device] ?? []).filter { node.ancestors.contains($0) }
                    .min { nodes[$0].place < nodes[$1].place }
            lineages.append(first.map { lineages[$0] } ?? .device(device))
        }
        return lineages
    }
}
