import Records
import Sodium
import Wire

/// Opens the keys of a zone's epochs that can be opened, from envelopes, from disclosed keys, and along the chains.
struct EpochOpening {
    private let graph: EpochGraph
    private let zone: ZoneID
    /// The open keys.
    private(set) var keyring: EpochKeyring
    /// Whether a further key was opened.
    private(set) var isMore = false

    /// Starts from the keys that are open already.
    init(_ graph: EpochGraph, zone: ZoneID, keyring: EpochKeyring) {
        (self.graph, self.zone, self.keyring) = (graph, zone, keyring)
    }

    /// Opens all keys that can be opened by statements that were not processed before.
    /// - Parameters:
    ///   - device: The device whose envelopes are tried.
    ///   - open: Opens one envelope of the epoch that begins at a place; `nil` for one that does not open.
    /// - Complexity: O(new statements, and links of the opened epochs), and one envelope for each new epoch that no
    ///   chain leads to; envelopes that do not open are tried once.
    mutating func run(for device: DeviceID, _ open: (_ envelope: [UInt8], _ place: Dot) -> EpochKey?) {
        // The last ones first: the keys of those before follow from them by the chain, for a fraction of the work.
        let new = graph.journal.epochs(behind: keyring.mark(of: zone), for: device)
        for hash in (new ?? graph.order).reversed() {
            guard let epoch = graph.epochs[hash] else { continue }
            if keyring.key(hash) == nil, let disclosed = epoch.disclosed {
                keep(try? EpochKey(bytes: disclosed.bytes), of: hash)
            }
            for envelope in keyring.key(hash) == nil ? epoch.envelopes(for: device) : [] where keyring.key(hash) == nil
            {
                // An author with the right to write could make this device open a thousand bad envelopes with each
                // operation.
                let name = Hash(digesting: .triedEnvelope, hash.bytes + envelope)
                if keyring.hasRefused(name) { continue }
                keep(open(envelope, epoch.place), of: hash)
                if keyring.key(hash) == nil { keyring.refuse(name) }
            }
            followChains(from: hash)
        }
        keyring.keep(graph.journal.end(for: device), of: zone)
    }

    /// Opens the keys that follow from an open one.
    ///
    /// A link may also lead to an epoch whose operation came later.
    private mutating func followChains(from hash: Hash) {
        var queue = [hash]
        while let next = queue.popLast() {
            guard let key = keyring.key(next), let epoch = graph.epochs[next] else { continue }
            for link in epoch.content.chain where keyring.key(link.epoch) == nil {
                keep(key.open(link, zone: zone), of: link.epoch)
                if keyring.key(link.epoch) != nil { queue.append(link.epoch) }
            }
        }
    }

    /// Keeps a key if it is that of the epoch.
    private mutating func keep(_ key: EpochKey?, of hash: Hash) {
        guard let key, let epoch = graph.epochs[hash], keyring.key(hash) == nil,
            key.confirmTag(zone: zone, place: epoch.place) == epoch.content.confirm
        else { return }
        keyring.insert(key, for: hash)
        isMore = true
    }
}
