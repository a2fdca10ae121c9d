import Records
import Sodium
import Sync
import Wire

/// The account as a simulated node knows it: a set of opaque entries, each of which adds or removes one device.
///
/// Entries travel as bytes that only this type reads, as the account log's do in production.
struct SimulatedAccount: Equatable {
    /// One entry.
    struct Entry: Hashable {
        var node: UInt8
        var isRemoval: Bool

        var bytes: [UInt8] { [node, isRemoval ? 1 : 0] }
        var hash: Hash { Hash(digesting: .rangeDigest, bytes) }

        init(node: Int, isRemoval: Bool = false) {
            self.node = UInt8(node)
            self.isRemoval = isRemoval
        }

        init?(_ bytes: [UInt8]) {
            guard bytes.count == 2 else { return nil }
            node = bytes[0]
            isRemoval = bytes[1] == 1
        }
    }

    private(set) var entries: Set<Entry> = []

    /// Knows the devices of these nodes.
    init(nodes: some Sequence<Int>) {
        for node in nodes { entries.insert(Entry(node: node)) }
    }

    /// Every entry is a head: entries have no parents here.
    var heads: [Hash] { entries.map(\.hash).sorted() }

    func entries(notIn heads: [Hash]) -> [[UInt8]] {
        entries.filter { !heads.contains($0.hash) }.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// - Returns: Whether any was new; `nil` for bytes that are no entries.
    mutating func insert(_ bytes: [[UInt8]]) -> Bool? {
        let before = entries
        for item in bytes {
            guard let entry = Entry(item) else { return nil }
            entries.insert(entry)
        }
        return entries != before
    }

    mutating func insert(_ entry: Entry) {
        entries.insert(entry)
    }

    func standing(of node: Int) -> Standing {
        if entries.contains(Entry(node: node, isRemoval: true)) { return .removed }
        return entries.contains(Entry(node: node)) ? .active : .unknown
    }
}
