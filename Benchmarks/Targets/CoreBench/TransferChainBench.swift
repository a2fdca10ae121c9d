import Identity
import Records
import Sync
import TestSupport
import Wire

/// The cost of one more transfer in a zone that two accounts have passed to each other many times: each transfer
/// makes another ownership and another log, and is decided anew with all transfers before it.
struct TransferChainBench {
    private static let lengths = [100, 300, 1_000]
    private static let repeatCount = 9

    private var neighbours: Neighbours
    private let zone: ZoneID
    private let controls = [ControlMemory(), ControlMemory()]
    private var count = 0

    /// Makes the zone.
    init() {
        do {
            neighbours = try Neighbours([1, 1], seed: 11)
            zone = try neighbours.zone(of: 0)
        } catch {
            preconditionFailure("a zone to measure: \(error)")
        }
    }

    /// Measures, and writes the table.
    mutating func run() {
        do {
            row("one more transfer, ms", ["made", "arrives", "decided"])
            for length in Self.lengths {
                var (made, arrived, decided): ([Double], [Double], [UInt64]) = ([], [], [])
                while count < length {
                    let before = controls[1 - count % 2].work.decidedCount
                    let times = try passOn()
                    guard count + Self.repeatCount > length else { continue }
                    made.append(times.made)
                    arrived.append(times.arrived)
                    decided.append(controls[count % 2].work.decidedCount - before)
                }
                let middle = made.count / 2
                row(
                    "  the \(length)th",
                    [text(made.sorted()[middle], 1), text(arrived.sorted()[middle], 1), "\(decided.sorted()[middle])"]
                )
            }
        } catch {
            preconditionFailure("a zone to measure: \(error)")
        }
    }

    private func committer(_ index: Int) -> Committer {
        let plain = neighbours.committer(index)
        return Committer(
            keys: plain.keys,
            account: plain.account,
            contacts: plain.accounts,
            keyring: plain.keyring,
            wallMilliseconds: plain.wallMilliseconds,
            controls: controls[index]
        )
    }

    /// The owner passes the zone to the other account, which receives the transfer.
    private mutating func passOn() throws -> (made: Double, arrived: Double) {
        let (owner, other) = (count % 2, 1 - count % 2)
        let (maker, taker) = (committer(owner), committer(other))
        let consent = try neighbours.consent(of: other, zone: zone, from: owner)
        let made = try Measurement.milliseconds {
            _ = try ZoneTransfers(maker).transfer(zone, with: consent, keeping: nil, in: &neighbours.homes[owner].store)
        }
        count += 1
        var arrived = 0.0
        let store = neighbours.homes[owner].store
        for log in try store.logs(zone: zone) where log.key.lane == .control {
            let held = try neighbours.homes[other].store.log(log.key)?.heldSize ?? 0
            guard held < log.size,
                let run = try RunExchange(maker).run(log.key, from: held, byteCount: 1 << 20, in: store)
            else {
                continue
            }
            arrived += try Measurement.milliseconds {
                _ = try RunExchange(taker).apply(
                    run,
                    key: log.key,
                    random: &neighbours.random,
                    in: &neighbours.homes[other].store
                )
            }
        }
        return (made, arrived)
    }
}
