import Capabilities
import Records
import Sync
import Wire

/// The holders of each key of a zone: the devices that it was sealed to, and those with the key of an epoch whose
/// chain leads to it.
///
/// Written from `docs/protocol/epochs.md` and nothing else.
struct KeyHolders {
    private var recipients: [Hash: Set<DeviceID>] = [:]
    /// The epochs whose chain leads to an epoch.
    private var leadingTo: [Hash: Set<Hash>] = [:]
    private var told: Set<Hash> = []

    /// The holders of the keys of a zone, by everything that control logs of a store say up to a
    /// size.
    init(_ rows: [LogRow], in store: MemoryStore, upTo end: (LogRow) -> UInt64 = \.size) throws {
        for row in rows {
            for item in try store.items(row.key, from: 0, to: end(row)) {
                if case .operation(let stored) = item.content { try add(stored.operation) }
            }
        }
    }

    /// Takes in a control operation; one that cannot be decoded is ignored.
    private mutating func add(_ operation: Operation) throws {
        switch try ControlBody(decoding: operation.body) {
        case .epochAgain(let bytes):
            guard let said = try? Operation(decoding: bytes), said.header.bodyHash == Operation.bodyHash(said.body),
                case .epoch? = try? ControlBody(decoding: said.body)
            else { return }
            try add(said)
        case .epoch(let bytes):
            guard let content = try? KeyEpoch(decoding: bytes) else { return }
            let epoch = operation.header.leafHash
            recipients[epoch, default: []].formUnion(content.envelopes.map(\.device))
            for link in content.chain { leadingTo[link.epoch, default: []].insert(epoch) }
        case .delivery(let bytes):
            guard let content = try? KeyDelivery(decoding: bytes) else { return }
            recipients[content.epoch, default: []].formUnion(content.envelopes.map(\.device))
            if content.disclosed != nil { told.insert(content.epoch) }
        default: return
        }
    }

    /// The devices that have the key of an epoch.
    func of(_ epoch: Hash) -> Set<DeviceID> {
        sources(of: epoch).reduce(into: []) { $0.formUnion(recipients[$1] ?? []) }
    }

    /// The epochs whose keys are disclosed to all accounts.
    var disclosed: Set<Hash> {
        Set((Array(recipients.keys) + leadingTo.keys + told).filter { !sources(of: $0).isDisjoint(with: told) })
    }

    /// The epoch itself and all epochs whose chains lead to it.
    private func sources(of epoch: Hash) -> Set<Hash> {
        var found: Set<Hash> = [epoch]
        var open = [epoch]
        while let next = open.popLast() {
            for source in leadingTo[next] ?? [] where found.insert(source).inserted { open.append(source) }
        }
        return found
    }
}

/// The holders of the keys of zones, each determined once for the same control logs.
final class ResolvedKeyHolders {
    private var known: [RightsStamp: KeyHolders] = [:]

    /// The holders of the keys of a zone, by everything that a store holds about it.
    func of(_ zone: ZoneRow, in store: MemoryStore) throws -> KeyHolders {
        let rows = try store.logs(zone: zone.id).filter { $0.key.lane == .control }
        // Two histories of a log may be of one size.
        if rows.contains(where: \.isForked) { return try KeyHolders(rows, in: store) }
        var stamp = RightsStamp(zone: zone.id, device: nil, accounts: [:])
        for row in rows { stamp.logs[row.key.actor] = row.size }
        if let holders = known[stamp] { return holders }
        let holders = try KeyHolders(rows, in: store)
        if known.count > 256 { known = [:] }
        known[stamp] = holders
        return holders
    }
}
