import Capabilities
import Identity
import Sodium
import TestSupport
import Wire

/// The control log of a busy zone: 100 participants, ten of whom admitted the others, and 1,000 changes: every other
/// one a change of rights (an end, its cuts, a new grant), the others new grants, with a checkpoint for every
/// hundred.
struct ControlBench {
    private var entries: [ControlEntry] = []
    private let devices: [DeviceIdentity]
    private let directory: Directory
    private var generator = SeededGenerator(seed: 2)
    private var counters: [ActorID: UInt64] = [:]

    private static let zone = ZoneID(Digest32(word0: 1, word1: 2, word2: 3, word3: 4))

    /// Makes the log.
    init() {
        var generator = SeededGenerator(seed: 3)
        devices = (0...100).map { _ in DeviceIdentity(using: &generator) }
        directory = Directory(
            owners: Dictionary(
                uniqueKeysWithValues: devices.enumerated().map {
                    ($1.deviceID, Self.account($0))
                }
            )
        )
        var admins: [Hash] = []
        for account in 1...10 { admins.append(grant(to: account, .admin, under: .zero, issuer: 0)) }
        var rights: [Int: Hash] = [:]
        for account in 11...100 {
            rights[account] = grant(to: account, .write, under: admins[account % 10], issuer: 1 + account % 10)
        }
        while entries.count < 1_000 {
            let account = 11 + generator.below(90)
            let issuer = 1 + account % 10
            switch entries.count % 100 {
            case 0: checkpoint()
            case let place where place % 2 == 0:
                rights[account] = change(account, rights[account] ?? .zero, under: admins[account % 10], issuer)
            default: _ = grant(to: account, .read, under: admins[account % 10], issuer: issuer)
            }
        }
    }

    private static func account(_ index: Int) -> AccountID {
        AccountID(Digest32(word0: 9, word1: UInt64(index), word2: 0, word3: 0))
    }

    private static func actor(_ index: Int) -> ActorID {
        ActorID(Digest32(word0: 8, word1: UInt64(index), word2: 0, word3: 0))
    }

    private mutating func signed(to account: Int, _ level: AccessLevel, under: Hash, issuer: Int) -> SignedCapability {
        let capability = Capability(
            resource: .zone(Self.zone),
            issuer: Self.account(issuer),
            signer: devices[issuer].deviceID,
            audience: Self.account(account),
            rights: Rights(level, canDelegate: level == .admin),
            caveats: Caveats(delegationDepth: level == .admin ? 3 : 0),
            parent: under,
            nonce: generator.bytes(Capability.nonceByteCount)
        )
        do {
            return try capability.signed(by: devices[issuer].sign)
        } catch {
            preconditionFailure("a capability to measure: \(error)")
        }
    }

    private mutating func grant(to account: Int, _ level: AccessLevel, under right: Hash, issuer: Int) -> Hash {
        let capability = signed(to: account, level, under: right, issuer: issuer)
        say(.grant(Grant(capability)), under: right, author: issuer)
        return capability.id
    }

    private mutating func change(_ account: Int, _ old: Hash, under right: Hash, _ issuer: Int) -> Hash {
        let capability = signed(to: account, .write, under: right, issuer: issuer)
        let cuts = Lane.allCases.map { LogPosition(actor: Self.actor(account), lane: $0, size: 5, root: .zero) }
        let revocation = Revocation(capabilities: [old], cuts: cuts, regrants: [capability])
        say(.revoke(revocation), under: right, author: issuer)
        return capability.id
    }

    private mutating func checkpoint() {
        let logs = (0...100).map {
            LogPosition(actor: Self.actor($0), lane: .control, size: counters[Self.actor($0)] ?? 0, root: .zero)
        }
        let body = Checkpoint(logs: logs, liveRoot: .zero, liveCount: 0, lapsed: [], previous: .zero)
        say(.checkpoint(body), under: .zero, author: 0)
    }

    private mutating func say(_ body: ControlBody, under right: Hash, author: Int) {
        let actor = Self.actor(author)
        let counter = (counters[actor] ?? 0) + 1
        let entry = ControlEntry(
            place: Dot(actor: actor, counter: counter),
            device: devices[author].deviceID,
            right: right,
            seen: VersionVector(counters),
            hash: Hash(Digest32(word0: generator.next(), word1: UInt64(entries.count), word2: 0, word3: 0)),
            body: body
        ) { signed in
            do { return try VerifiedCapability(UnverifiedCapability(signed)) } catch { return nil }
        }
        counters[actor] = counter
        entries.append(entry)
    }

    /// Measures, and writes the table.
    func run() {
        let state = resolve()
        let resolution = Measurement { resolve().participants.count }
        let key = devices[0]
        let message = [UInt8](repeating: 1, count: 256)
        let signature = key.sign(message, context: .capability)
        let check = Measurement {
            key.deviceID.verifyingKey.isValid(signature.signature, over: message, context: .capability) ? 1 : 0
        }
        let reader = AccessSubject.device(devices[50].deviceID, of: Self.account(50))
        let decision = Measurement {
            let decision = Authorisation.decide(
                .serve(.data, sealed: false),
                by: reader,
                state: state,
                directory: directory,
                now: 0
            )
            return decision == .refused(.notParticipant) ? 0 : 1
        }
        let byteCount = entries.reduce(0) { $0 + $1.body.encoded.count }
        row("control", ["", "microseconds", "checks"])
        row("  one check of a signature", ["", text(check.microseconds, 1), "1"])
        row(
            "  resolve \(entries.count) operations",
            [
                "", text(resolution.microseconds, 0), text(resolution.microseconds / check.microseconds, 1),
            ]
        )
        row("  decide", ["", text(decision.microseconds, 2), text(decision.microseconds / check.microseconds, 3)])
        print(
            "  \(state.participants.count) participants, \(state.capabilities.count) capabilities, \(byteCount) bytes"
        )
    }

    private func resolve() -> ControlState {
        ControlState(zone: Self.zone, genesisOwner: Self.account(0), entries: entries, directory: directory)
    }

    /// One device for each account.
    private struct Directory: AccountDirectory {
        let owners: [DeviceID: AccountID]

        func standing(of device: DeviceID, in account: AccountID) -> AccountStanding {
            owners[device] == account ? .active(.full, addedAt: 0) : .unknownDevice
        }

        func witnesses(of device: DeviceID, in account: AccountID) -> Set<DeviceID> { [] }
    }
}

extension SeededGenerator {
    /// A number in 0..<bound.
    fileprivate mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
