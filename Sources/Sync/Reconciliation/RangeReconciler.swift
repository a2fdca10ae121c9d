import Records
import Sodium
package import Wire

/// Finds the zones in which two nodes differ, with a constant amount of traffic when there is none.
///
/// Each side lists the zones that both may know under *blinded* keys, hashes of the zone id and the session's handshake
/// hash, so that a zone which the other does not know stays unknown to it. The lists are compared by digests of key
/// ranges: equal ranges end, unequal ones are split into sixteen by the next half byte of the key until they are short
/// enough to be listed. One difference among *n* zones costs O(log n) bytes and rounds.
///
/// Source: A. Meyer, "Range-Based Set Reconciliation" (2023). Deviations: fixed sixteen-way splits on key prefixes instead
/// of balanced ones (keys are hashes, so they are balanced anyway), and plain hashes of the listed items instead of a
/// homomorphic fingerprint (a session's list is rebuilt only when the set of zones changes).
package struct RangeReconciler: Sendable {
    /// One zone as this session sees it.
    package struct Item: Sendable, Hashable {
        /// The blinded zone id.
        package var key: Hash
        /// The digest of the zone's state.
        package var state: Hash
        /// The zone itself; never sent.
        package var zone: ZoneID
    }

    /// The answer to a list of range digests.
    package struct DigestAnswer: Sendable, Equatable {
        /// Ranges to compare further.
        package var digests: [RangeDigest] = []
        /// Ranges to list.
        package var items: [ItemRange] = []
        /// Zones whose state to send, since the other side has nothing in their range.
        package var differing: [ZoneID] = []
    }

    /// The answer to a list of items.
    package struct ItemAnswer: Sendable, Equatable {
        /// Zones whose state to send: they differ, or the other side does not have them.
        package var differing: [ZoneID] = []
        /// Ranges in which the other side has items that we lack: it must see our list.
        package var reply: [ItemRange] = []
    }

    /// Ranges with at most this many items on both sides are listed instead of split.
    package static let listedCountMax = 16

    private let items: [Item]

    /// Lists the zones of a session.
    /// - Parameters:
    ///   - zones: Each shared zone with the digest of its state; in any order, each once.
    ///   - binding: The session's handshake hash.
    /// - Complexity: O(n log n).
    package init(zones: [(zone: ZoneID, state: Hash)], binding: [UInt8]) {
        items = zones.map { zone, state in
            Item(key: Self.blinded(zone, binding: binding), state: state, zone: zone)
        }
        .sorted { $0.key < $1.key }
        assert(zip(items, items.dropFirst()).allSatisfy { $0.key < $1.key }, "each zone is compared once")
    }

    /// The key under which a zone appears in one session.
    package static func blinded(_ zone: ZoneID, binding: [UInt8]) -> Hash {
        Hash(digesting: .sharedZoneBlinding, zone.bytes + binding)
    }

    /// The first message of a round: one digest over everything.
    package var opening: [RangeDigest] {
        [digest(of: .empty)]
    }

    /// Compares the other side's range digests with ours.
    /// - Returns: Nothing when all ranges are equal.
    package func answer(digests: [RangeDigest]) -> DigestAnswer {
        var answer = DigestAnswer()
        for theirs in digests {
            let range = slice(theirs.prefix)
            let ours = digest(of: theirs.prefix)
            guard ours != theirs else { continue }
            // An empty side has nothing to compare with: it says so, or receives everything at once.
            if theirs.itemCount == 0 {
                answer.differing += range.map(\.zone)
                continue
            }
            let isShort = range.count <= Self.listedCountMax && theirs.itemCount <= UInt32(Self.listedCountMax)
            if isShort || range.isEmpty || theirs.prefix.count >= Limits.prefixNibbleCountMax {
                answer.items += listings(theirs.prefix)
            } else {
                answer.digests += theirs.prefix.children.map(digest(of:))
            }
        }
        return answer
    }

    /// Compares the other side's listed items with ours.
    /// - Parameters:
    ///   - ranges: The ranges that it listed.
    ///   - isReply: Whether it listed them in reply to our list: then our own list has handled the differences.
    /// - Returns: The zones whose state to send, and the ranges to list.
    package func answer(items ranges: [ItemRange], isReply: Bool) -> ItemAnswer {
        var answer = ItemAnswer()
        for range in ranges {
            let theirs = Dictionary(range.items.map { ($0.zone, $0.state) }) { first, _ in first }
            let ours = slice(range.prefix)
            for item in ours {
                let state = theirs[item.key]
                let isMissing = state == nil
                let differs = state != nil && state != item.state
                if isMissing || (differs && !isReply) { answer.differing.append(item.zone) }
            }
            let known = Set(ours.map(\.key))
            if !isReply, theirs.keys.contains(where: { !known.contains($0) }) {
                answer.reply += listings(range.prefix)
            }
        }
        return answer
    }

    /// Lists a range, in pieces of at most ``listedCountMax`` items: the other side chose the range, and it may be long.
    private func listings(_ prefix: NibblePrefix) -> [ItemRange] {
        let range = slice(prefix)
        guard range.count > Self.listedCountMax, prefix.count < Limits.prefixNibbleCountMax else {
            return [ItemRange(prefix: prefix, items: range.map { RangeItem(zone: $0.key, state: $0.state) })]
        }
        return prefix.children.flatMap(listings)
    }

    private func digest(of prefix: NibblePrefix) -> RangeDigest {
        let range = slice(prefix)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count * 64)
        for item in range {
            bytes += item.key.bytes
            bytes += item.state.bytes
        }
        return RangeDigest(
            prefix: prefix,
            itemCount: UInt32(clamping: range.count),
            digest: Hash(digesting: .rangeDigest, bytes)
        )
    }

    /// The items under a prefix.
    /// - Complexity: O(log n).
    private func slice(_ prefix: NibblePrefix) -> ArraySlice<Item> {
        let start = items.partitioningIndex { $0.key < prefix.lowerBound }
        let end = items.partitioningIndex { $0.key < prefix.lowerBound || prefix.matches($0.key) }
        assert(items[start..<end].allSatisfy { prefix.matches($0.key) }, "the items of a prefix stand together")
        return items[start..<end]
    }
}
