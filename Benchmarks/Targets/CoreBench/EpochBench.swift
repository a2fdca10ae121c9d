import Records
import Sealing
import Sodium
import Sync
import TestSupport
import Wire

/// A new key of a zone for many devices: the transaction that begins an epoch, beside as many envelopes alone, and
/// the work of a device that opens it.
struct EpochBench {
    private static let devicesOfAccount = 10
    private let envelopes = XWingEnvelopes()

    /// Measures, and writes the table.
    func run() {
        do {
            let seal = try envelope()
            row("epochs", ["milliseconds", "envelopes", "operation, KB"])
            for count in [10, 100, 1_000] { try measure(count, beside: seal) }
        } catch {
            preconditionFailure("a zone to measure: \(error)")
        }
    }

    /// - Returns: The measurement of sealing one envelope.
    private func envelope() throws -> Measurement {
        let seed = [UInt8](repeating: 7, count: 32)
        let key = try envelopes.encapsulationKey(seed: seed)
        let secret = [UInt8](repeating: 1, count: 32)
        let entropy = TransactionEntropy()
        let sealed = try envelopes.seal(secret, to: key, info: [1], entropy: entropy)
        let seal = measuring { try envelopes.seal(secret, to: key, info: [1], entropy: entropy).count }
        let open = measuring { try envelopes.open(sealed, seed: seed, info: [1]).count }
        let check = SignatureCheck().measured
        row("envelopes", ["microseconds", "checks"])
        row("  one check of a signature", [text(check.microseconds, 1), "1"])
        for (name, one) in [("seal", seal), ("open", open)] {
            row("  " + name, [text(one.microseconds, 1), text(one.microseconds / check.microseconds, 1)])
        }
        return seal
    }

    private func measure(_ count: Int, beside seal: Measurement) throws {
        let accounts = max(1, count / Self.devicesOfAccount)
        var neighbours = try Neighbours(
            [Int](repeating: count / accounts, count: accounts),
            seed: UInt64(count),
            envelopes: envelopes
        )
        let genesis = ZoneGenesis(
            owner: neighbours.account(0),
            container: "org.example.notes",
            name: "sealed",
            salt: [UInt8](repeating: 3, count: ZoneGenesis.saltByteCount),
            history: .full,
            isDefault: false
        )
        let zone = try neighbours.change(0) { try ZoneLifecycle($0).create(genesis, in: &$2).zone }
        for account in 0..<accounts where account > 0 {
            _ = try neighbours.grant(.write, to: account, by: 0, zone: zone)
        }
        let (committer, store) = (neighbours.committer(0), neighbours.homes[0].store)
        var controlSize = 0
        let begin = measuring {
            var store = store
            let (_, notice) = try EpochKeys(committer).rotate(zone, in: &store)
            controlSize = try byteCount(of: zone, in: store)
            return notice.zones.count
        }
        let growth = controlSize - (try byteCount(of: zone, in: store))
        row(
            "  begun for \(count) devices",
            [
                text(begin.microseconds / 1_000, 2), text(begin.microseconds / seal.microseconds, 1),
                text(Double(growth) / 1_000, 1),
            ]
        )
    }

    private func byteCount(of zone: ZoneID, in store: MemoryStore) throws -> Int {
        try store.logs(zone: zone).reduce(0) { $0 + Int($1.byteCount) }
    }

    /// Measures a body that may fail, and then is not measured.
    private func measuring(_ body: () throws -> Int) -> Measurement {
        Measurement {
            do { return try body() } catch { preconditionFailure("what is measured: \(error)") }
        }
    }
}
