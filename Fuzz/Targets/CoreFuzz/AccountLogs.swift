import FuzzKit
import Identity
import Sodium
import TestSupport
import Wire

/// The account log: a program that makes entries by known devices and recovery keys, changes their fields and bytes,
/// and signs them afterwards, so that no signature stops the fuzzer.
///
/// Laws: a refused entry changes nothing; the state is a function of the set of entries, in any order; and a
/// log that keeps hardly any ineffective entries comes to the same state as one that keeps all, once it learns which
/// entries are effective there. Some entries come as floods, by devices whose entries are effective and by some whose
/// entries are not: as many of no meaning as a small log keeps, and more.
let accountLogTarget = FuzzTarget(
    "account-log",
    inputByteCountMax: 64,
    run: { bytes in
        var program = AccountProgram(FuzzInput(bytes), isReversed: bytes.reduce(0, ^) & 1 == 1)
        while !program.isOver { program.step() }
        program.checkOrders()
    },
    seeds: {
        var generator = SeededGenerator(seed: 13)
        let floods = (0..<24).map { number -> [UInt8] in
            // An addition by the first device, a removal of the flooder or none, and a flood of keys or of no
            // meaning.
            let flooder = UInt8(number % 3)
            let addition: [UInt8] = [flooder, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            let removal: [UInt8] = number % 2 == 0 ? [flooder, 2, 1, 0, 0, 0, 0, 0, 0, 0] : []
            return addition + removal + [flooder, 6, UInt8(number % 4 < 2 ? 2 : 0), 0, flooder, 0, 0, 0xF7, 0]
        }
        return floods
            + (0..<120).map { _ in
                (0..<(1 + generator.below(8))).flatMap { _ -> [UInt8] in
                    // Mostly well-formed: signed by a device, on top of the heads, no change of bytes.
                    [UInt8(generator.below(5)), UInt8(generator.below(6)), UInt8(generator.below(3))]
                        + [UInt8(generator.below(4)), 0, UInt8(generator.below(6)), 0]
                }
            }
    }
)

/// Devices and recovery keys that are the same in each run.
enum AccountFixture {
    static let devices: [DeviceIdentity] = {
        var generator = SeededGenerator(seed: 0xDE71CE)
        return (0..<6).map { _ in DeviceIdentity(using: &generator) }
    }()
    static let certificates: [[UInt8]] = devices.enumerated().map { index, device in
        always("a certificate") { try device.certificate(name: "device-\(index)", issued: 1).signed.encoded }
    }
    /// Certificates of each device that are equally new, and one that is newer.
    static let renewals: [[[UInt8]]] = devices.enumerated().map { index, device in
        [(2, 1), (2, 2), (3, 1)].map { issued, key in
            always("a certificate") {
                try device.certificate(name: "device-\(index)", issued: issued, encapsulationKey: [key]).signed.encoded
            }
        }
    }
    /// Keys of the fleet, each for one device.
    static let fleetRenewals: [[UInt8]] = devices.enumerated().map { index, device in
        let envelope = KeyEnvelope(device: device.deviceID, sealed: [UInt8](repeating: UInt8(index), count: 48))
        let confirm = Hash(Digest32(word0: UInt64(index), word1: 0, word2: 0, word3: 0))
        return FleetKeyRenewal(confirm: confirm, envelopes: [envelope]).encoded
    }
    static let recoveryKeys: [RecoveryKey] = {
        var generator = SeededGenerator(seed: 0x2EC0)
        return (0..<3).map { _ in RecoveryKey(RecoveryPhrase(using: &generator)) }
    }()
    static let genesis: AccountLog = {
        var generator = SeededGenerator(seed: 1)
        return always("an account") {
            try AccountLog.create(
                identity: devices[0],
                certificate: try VerifiedCertificate(bytes: certificates[0]),
                recoveryKey: recoveryKeys[0].publicKey,
                name: "device-0",
                using: &generator
            )
        }
    }()
}

private struct AccountProgram {
    private var input: FuzzInput
    private var log = AccountFixture.genesis
    private var taken: [[UInt8]] = []
    private var names: [Hash]
    /// The order in which the entries are taken a second time.
    private let isReversed: Bool

    init(_ input: FuzzInput, isReversed: Bool) {
        self.input = input
        self.isReversed = isReversed
        names = log.heads
    }

    private static let entryCountMax = 24

    var isOver: Bool { input.isEmpty || taken.count >= Self.entryCountMax }

    mutating func step() {
        let action = action()
        let signer = input.below(9)
        let author: AccountAuthor =
            signer < 6 ? .device(AccountFixture.devices[signer].deviceID) : .recovery
        let entry = AccountEntry(
            account: input.below(32) == 31 ? nil : log.account,
            parents: parents(),
            author: author,
            nonce: [UInt8](repeating: input.byte(), count: AccountEntry.nonceByteCount),
            action: action
        )
        insert(signed(input.mutate(entry.encoded), by: signer))
        flood(after: entry, by: signer)
    }

    /// Inserts up to eight more entries beside one that does not change the account's devices, where its nonce asks
    /// for them.
    ///
    /// Signatures cost most of an execution, so the whole of a program is bounded too.
    private mutating func flood(after entry: AccountEntry, by signer: Int) {
        guard let first = entry.nonce.first, first >= 0xF0 else { return }
        switch entry.action {
        case .unknown, .renewFleetKey, .setName: break
        case .genesis, .addDevice, .removeDevice, .replaceRecoveryKey, .pairKey, .renewCertificate: return
        }
        for number in 0...(first & 7) where taken.count < Self.entryCountMax {
            var nonce = entry.nonce
            nonce[1] = number
            nonce[2] = 1
            let more = AccountEntry(
                account: entry.account,
                parents: entry.parents,
                author: entry.author,
                nonce: nonce,
                action: entry.action
            )
            insert(signed(more.encoded, by: signer))
        }
    }

    private mutating func action() -> AccountAction {
        let device = input.below(6)
        switch input.below(8) {
        case 0, 1, 5:
            let role = input.one(of: DeviceRole.allCases)
            let certificate = AccountFixture.certificates[device]
            return .addDevice(certificate: input.mutate(certificate), role: role, name: "d\(input.below(3))")
        case 2, 3:
            var kept: [Hash] = []
            for _ in 0..<input.below(4) { kept.append(input.one(of: names)) }
            let witness = input.below(2) == 1 ? AccountFixture.devices[input.below(6)].deviceID : nil
            let removed = AccountFixture.devices[device].deviceID
            return .removeDevice(DeviceRemoval(of: removed, keeping: Array(Set(kept)), witness: witness))
        case 4:
            return .replaceRecoveryKey(AccountFixture.recoveryKeys[device % 3].publicKey.bytes)
        case 6:
            switch input.below(4) {
            case 1: return .renewCertificate(input.mutate(AccountFixture.renewals[device][input.below(3)]))
            case 2: return .renewFleetKey(input.mutate(AccountFixture.fleetRenewals[device]))
            case 3: return .setName(input.mutate(naming(of: device).encoded))
            default: return unknown()
            }
        default:
            let key = AccountFixture.recoveryKeys[0].publicKey.bytes
            return .genesis(recoveryKey: key, firstDevice: AccountFixture.certificates[device], name: "x")
        }
    }

    /// A name for the account, or for one of its devices.
    private mutating func naming(of device: Int) -> Naming {
        let subject = input.below(2) == 1 ? AccountFixture.devices[device].deviceID : nil
        return Naming(of: subject, name: "n\(input.below(3))")
    }

    private mutating func unknown() -> AccountAction {
        .unknown(tag: AccountAction.knownTags.upperBound + 1 + input.number() % 1_000, bytes: input.blob())
    }

    /// Mostly the heads, sometimes any entries.
    private mutating func parents() -> [Hash] {
        let count = input.below(8)
        guard (1...3).contains(count) else { return count == 7 ? [] : log.announcedHeads }
        return Array(Set((0..<count).map { _ in input.one(of: names) }))
    }

    private func signed(_ bytes: [UInt8], by signer: Int) -> [UInt8] {
        var writer = WireWriter()
        writer.writeBytes(bytes)
        if signer < 6 {
            writer.write(AccountFixture.devices[signer].sign(bytes, context: .accountEntry))
        } else {
            let key = AccountFixture.recoveryKeys[signer - 6]
            writer.write(Signature64(key.signingKey.signature(over: bytes, context: .accountEntry)))
        }
        return writer.bytes
    }

    private mutating func insert(_ bytes: [UInt8]) {
        let before = (log.heads, log.count, log.state)
        do {
            guard try log.insert(bytes) else {
                demand(before == (log.heads, log.count, log.state), "what is known changes nothing")
                return
            }
        } catch {
            demand(before == (log.heads, log.count, log.state), "a refused entry changes nothing")
            return
        }
        demand(log.count == before.1 + 1, "a new entry is one more")
        taken.append(bytes)
        // An ineffective entry is no head, and one that ends the effect of others may bring older heads back.
        let new = log.storedNames.suffix(1)
        demand(log.contains(new.first ?? .zero), "a new entry is the last one")
        names += new
        for device in AccountFixture.devices {
            _ = log.state.witnesses(of: device.deviceID)
        }
    }

    /// The same entries in other orders lead to the same account.
    func checkOrders() {
        guard !taken.isEmpty else { return }
        // One order each: this is most of the cost of an execution, and an input that differs in one order only comes
        // again.
        if isReversed {
            checkReversed()
        } else {
            check(log.storedEntries.dropFirst(), "as they are written")
            check(log.entries.dropFirst(), "as they are sent")
        }
        checkSmall()
        let held = [AccountFixture.genesis.heads[0]]
        demand(log.entries(notIn: held).count == log.entries.count - 1, "a peer at the beginning gets all the rest")
        demand(log.missing(from: names).isEmpty, "nothing that was taken is missing")
    }

    /// Inserts the entries backwards, over and over, until none waits for a parent.
    private func checkReversed() {
        var twin = AccountFixture.genesis
        var waiting = Array(taken.reversed())
        for _ in taken where !waiting.isEmpty {
            waiting = waiting.filter { entry in
                // An entry that comes before its parent is refused and comes again.
                (try? twin.insert(entry)) == nil
            }
        }
        demand(twin.state == log.state && twin.heads == log.heads, "entries in reverse lead to the same account")
    }

    /// Inserts the entries where there is little room for ineffective ones, and then exchanges with the log that has
    /// everything.
    private func checkSmall() {
        var small = always("a genesis") {
            try AccountLog(genesis: AccountFixture.genesis.genesisBytes, looseCountMax: 2)
        }
        for entry in taken.sorted(by: { $0.lexicographicallyPrecedes($1) }) + taken { _ = try? small.insert(entry) }
        do {
            try small.insert(contentsOf: log.entries(notIn: small.heads))
        } catch {
            demand(false, "what counts elsewhere is taken: \(error)")
        }
        demand(small.state == log.state && small.heads == log.heads, "entries that do not count make no difference")
        demand(small.entries == log.entries && small.count <= small.entries.count + 2, "the surplus is dropped")
    }

    private func check(_ entries: some Sequence<[UInt8]>, _ order: String) {
        var twin = AccountFixture.genesis
        do {
            try twin.insert(contentsOf: Array(entries))
        } catch {
            demand(false, "entries \(order) are taken: \(error)")
        }
        demand(twin.state == log.state && twin.heads == log.heads, "entries \(order) lead to the same account")
    }
}
