import Sync
import TestSupport
import Wire

/// Two cores and a perfect wire between them, which counts; messages cross as bytes, so that limits hold.
struct CorePair {
    var cores: [SyncCore]
    /// The zones that each side has reported to the other with a request for the same.
    var asked: [Set<ZoneID>] = [[], []]
    /// The number of times that all messages on the way were delivered until there were none.
    var rounds = 0
    /// Messages from each side, pings aside.
    var sent: [[PeerMessage]] = [[], []]
    /// Bytes of comparison, both sides together.
    var comparisonByteCount = 0
    var saved: [[LogKey: UInt64]] = [[:], [:]]
    var inSync = [0, 0]
    private var random = SeededGenerator(seed: 3)

    init(_ left: [ZoneSnapshot], _ right: [ZoneSnapshot]) {
        cores = (1...2).map { number in
            SyncCore(localDevice: Sample.device(number), incarnation: Sample.incarnation, account: Sample.account)
        }
        for (index, zones) in [left, right].enumerated() {
            var effects: [SyncEffect] = []
            let standings: [DeviceID: Standing] = [Sample.device(1): .active, Sample.device(2): .active]
            feed(.accountChanged(heads: [], standings: standings), to: index, &effects)
            for zone in zones { feed(.zoneChanged(zone, before: [:]), to: index, &effects) }
        }
    }

    /// Opens a session, and delivers until no message is on its way.
    mutating func compare() throws {
        var effects: [[SyncEffect]] = [[], []]
        for index in 0..<2 {
            let opening = SessionOpening(
                session: 1,
                device: Sample.device(2 - index),
                account: Sample.account,
                standing: .active,
                accountHeads: [],
                binding: [UInt8](repeating: 5, count: 32),
                isInitiator: index == 0
            )
            feed(.opened(opening), to: index, &effects[index])
        }
        while true {
            let messages = try effects.enumerated().map { index, effects in try take(effects, from: index) }
            guard !messages.allSatisfy(\.isEmpty) else { return }
            rounds += 1
            effects = [[], []]
            for index in 0..<2 {
                for (message, byteCount) in messages[1 - index] {
                    feed(.received(1, message, byteCount: byteCount), to: index, &effects[index])
                }
            }
        }
    }

    private mutating func take(_ effects: [SyncEffect], from index: Int) throws -> [(PeerMessage, Int)] {
        var messages: [(PeerMessage, Int)] = []
        for effect in effects {
            switch effect {
            case .send(_, let message) where message.tag != 8 && message.tag != 9:
                let bytes = message.encoded
                messages.append((try PeerMessage(decoding: bytes), bytes.count))
                sent[index].append(message)
                if [3, 4].contains(message.tag) { comparisonByteCount += bytes.count }
                if case .zoneState(let state) = message, state.wantsReply { asked[index].insert(state.zone) }
            case .write(.acknowledge(_, let rows)):
                saved[index].merge(rows) { max($0, $1) }
            case .report(.inSync):
                inSync[index] += 1
            default:
                break
            }
        }
        return messages
    }

    private mutating func feed(_ input: SyncInput, to index: Int, _ effects: inout [SyncEffect]) {
        cores[index].handle(input, at: 1_000, wall: 1_000, random: &random, into: &effects)
    }
}
