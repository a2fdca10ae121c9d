import FuzzKit
import TestSupport
import Wire

@testable import Capabilities
@testable import Records
@testable import Sync

/// The epochs of a zone's key: the input is a program of statements by members, honest and not, about keys, of
/// changes of the readers, and of the actions of one member then.
///
/// Laws: epochs stand in an order without circles, in any order of arrival and with repetitions; a device has the
/// key of an epoch exactly if an envelope was made for the device, of that epoch or of a later one whose chain leads
/// there; an opened key is the one that the epoch confirms, and opens for those devices alone, or for all once it is
/// disclosed; only readers have the key of the epoch that is written under; once every due statement has been made,
/// none is due.
let epochTarget = FuzzTarget(
    "epochs",
    inputByteCountMax: 500,
    run: { bytes in
        var program = FuzzInput(bytes)
        var world = EpochWorld()
        let history: ZoneHistory = program.bool() ? .full : .fromJoin
        while !program.isEmpty, world.held.count < 16 { world.say(&program) }
        // Making one is most of the time.
        let graph = world.graph
        world.demandOrder(graph)
        world.demandReaders(graph)
        world.demandOpening(graph)
        world.demandPlan(history, graph)
    },
    seeds: {
        var generator = SeededGenerator(seed: 73)
        let random = (0..<80).map { _ in generator.bytes(40 + generator.below(300)) }
        // Bytes that decode by themselves.
        let whole = (0..<20).map { index -> [UInt8] in
            let body = index % 2 == 0 ? KeyEpoch.sample(&generator).encoded : KeyDelivery.sample(&generator).encoded
            return [0, 0, UInt8(index % 2), UInt8(min(body.count, 255))] + body.prefix(255)
        }
        return random + whole
    }
)

/// A zone of eight devices of four accounts, and the statements about its keys.
private struct EpochWorld {
    private static let zone = ZoneID(Digest32(word0: 1, word1: 2, word2: 3, word3: 4))
    private static let devices = (0..<8).map {
        DeviceID(Digest32(word0: 10 + UInt64($0), word1: 0, word2: 0, word3: 0))
    }
    private static let actors = (0..<8).map { ActorID(Digest32(word0: 30 + UInt64($0), word1: 0, word2: 0, word3: 0)) }

    private(set) var held: [HeldControl] = []
    private var state = ControlState(zone: EpochWorld.zone, owners: [EpochWorld.account(0)])
    /// The keys of epochs that match the confirmations of their operations.
    private var keys: [Hash: EpochKey] = [:]
    private var names: [Hash] = []
    private var contents: [Hash: KeyEpoch] = [:]
    private var deliveries: [KeyDelivery] = []
    /// The devices that may read and have stated a key that others can seal to, with their accounts.
    private var readers: [DeviceID: AccountID] = [:]
    private var addressable: Set<DeviceID> = []

    private static func account(_ index: Int) -> AccountID {
        AccountID(Digest32(word0: 20 + UInt64(index), word1: 0, word2: 0, word3: 0))
    }

    init() {
        for (index, device) in Self.devices.enumerated() where index < 4 { admit(device, index) }
    }

    private mutating func admit(_ device: DeviceID, _ index: Int) {
        readers[device] = Self.account(index / 2)
        addressable.insert(device)
    }

    // MARK: Statements

    mutating func say(_ program: inout FuzzInput) {
        let author = program.below(8)
        switch program.below(8) {
        case 0: sayBytes(&program, author)
        case 1, 2, 3: begin(&program, author)
        case 4, 5: deliver(&program, author)
        case 6:
            let index = program.below(8)
            if program.bool() {
                admit(Self.devices[index], index)
            } else {
                readers[Self.devices[index]] = nil
                addressable.remove(Self.devices[index])
            }
        default:
            switch program.below(3) {
            case 0: addressable.remove(Self.devices[program.below(8)])
            case 1: sayAgain(&program, author)
            default: request(&program, author)
            }
        }
    }

    /// Denies having keys that may have been given, after having seen a part of the statements.
    private mutating func request(_ program: inout FuzzInput, _ author: Int) {
        let epochs = Set((0...program.below(3)).compactMap { _ in some(&program) })
        if epochs.isEmpty { return }
        let seen = held.prefix(program.below(held.count + 1)).map(\.operation.header.creation)
        _ = keep(.keyRequest(KeyRequest(Array(epochs)).encoded), author, counts: true, seen: seen)
    }

    private mutating func sayBytes(_ program: inout FuzzInput, _ author: Int) {
        if program.bool() {
            let bytes = program.blob()
            let hash = keep(.delivery(bytes), author, counts: true)
            // A refusal is one of the two outcomes that are allowed.
            if let delivery = try? KeyDelivery(decoding: bytes) { deliveries.append(delivery) }
            state.verdicts[hash] = .counts
        } else {
            let bytes = program.blob()
            let hash = keep(.epoch(bytes), author, counts: true)
            if let content = try? KeyEpoch(decoding: bytes) { note(content, hash) }
        }
    }

    private mutating func note(_ content: KeyEpoch, _ hash: Hash) {
        contents[hash] = content
        if !names.contains(hash) { names.append(hash) }
    }

    private func some(_ program: inout FuzzInput) -> Hash? {
        names.isEmpty ? nil : names[program.below(names.count)]
    }

    private mutating func begin(_ program: inout FuzzInput, _ author: Int) {
        let place = Dot(actor: Self.actors[author], counter: UInt64(held.count + 1))
        let key = always("a key") { try EpochKey(bytes: [UInt8](repeating: program.byte(), count: 32)) }
        var previous: Set<Hash> = []
        var chain: [Hash: ChainLink] = [:]
        for _ in 0..<program.below(4) {
            guard let hash = some(&program) else { break }
            previous.insert(hash)
            switch program.below(4) {
            case 0: break
            case 1:
                chain[hash] = ChainLink(epoch: hash, sealed: [UInt8](repeating: 1, count: ChainLink.sealedByteCount))
            default: if let earlier = keys[hash] { chain[hash] = key.link(to: earlier, of: hash, zone: Self.zone) }
            }
        }
        let isHonest = program.below(4) > 0
        let content = KeyEpoch(
            previous: Array(previous),
            confirm: isHonest
                ? key.confirmTag(zone: Self.zone, place: place)
                : Hash(Digest32(word0: 6, word1: 6, word2: 6, word3: 6)),
            chain: Array(chain.values),
            envelopes: envelopes(of: key, &program)
        )
        // An operation above the end of its log is ignored.
        let isHandedOn = program.below(4) > 0
        let counts = isHandedOn && program.below(4) > 0
        let hash = keep(.epoch(content.encoded), author, counts: counts, isHandedOn: isHandedOn)
        note(content, hash)
        if isHonest { keys[hash] = key }
    }

    private mutating func deliver(_ program: inout FuzzInput, _ author: Int) {
        guard let hash = some(&program) else { return }
        let disclosed: Hash? =
            switch program.below(4) {
            case 0: keys[hash].flatMap { Hash($0.exportBytes()) }
            case 1: Hash(Digest32(word0: 5, word1: 5, word2: 5, word3: 5))
            default: nil
            }
        let other = some(&program).flatMap { keys[$0] }
        let key = program.below(4) == 0 ? other : keys[hash]
        let delivery = KeyDelivery(
            epoch: hash,
            disclosed: disclosed,
            envelopes: key.map { envelopes(of: $0, &program) } ?? []
        )
        deliveries.append(delivery)
        let isHandedOn = program.below(4) > 0
        _ = keep(.delivery(delivery.encoded), author, counts: isHandedOn, isHandedOn: isHandedOn)
    }

    /// Repeats the operation that began an epoch, unchanged or changed, or one that never began any.
    private mutating func sayAgain(_ program: inout FuzzInput, _ author: Int) {
        let begun = held.filter { if case .epoch = $0.body { true } else { false } }.map(\.operation)
        var said = begun.isEmpty ? operation(.epoch(program.blob()), author) : begun[program.below(begun.count)]
        switch program.below(4) {
        case 0: said.header.creation = Dot(actor: Self.actors[program.below(8)], counter: 1)
        case 1: said.body = ControlBody.epoch(program.blob()).encoded
        case 2:
            said.body = ControlBody.epoch(program.blob()).encoded
            said.header.bodyHash = Operation.bodyHash(said.body)
        default: break
        }
        let isHandedOn = program.bool()
        _ = keep(.epochAgain(said.encoded), author, counts: isHandedOn, isHandedOn: isHandedOn)
        // A refusal is one of the two outcomes that are allowed.
        guard said.header.bodyHash == Operation.bodyHash(said.body),
            case .epoch(let bytes)? = try? ControlBody(decoding: said.body),
            let content = try? KeyEpoch(decoding: bytes)
        else { return }
        note(content, said.header.leafHash)
    }

    /// An envelope is the device that it is for, and the key: no other device opens it.
    private func envelopes(of key: EpochKey, _ program: inout FuzzInput) -> [KeyEnvelope] {
        let mask = program.byte()
        let isFalse = program.below(8) == 0
        return Self.devices.enumerated().compactMap { index, device in
            guard mask >> UInt8(index) & 1 == 1 else { return nil }
            return KeyEnvelope(device: device, sealed: isFalse ? [9] : [UInt8(index)] + key.exportBytes())
        }
    }

    private func operation(_ body: ControlBody, _ author: Int, seen: [Dot] = []) -> Operation {
        let actor = Self.actors[author]
        let dot = Dot(actor: actor, counter: UInt64(held.count + 1))
        let header = OperationHeader(
            counter: dot.counter,
            tag: .zero,
            vector: VersionVector(covering: seen + [dot]),
            creation: dot,
            controlHeads: .zero,
            epoch: .zero,
            time: HybridTime(milliseconds: UInt64(held.count)),
            batch: .single,
            bodyHash: Operation.bodyHash(body.encoded)
        )
        return Operation(header: header, body: body.encoded)
    }

    private mutating func keep(
        _ body: ControlBody,
        _ author: Int,
        counts: Bool,
        isHandedOn: Bool = true,
        seen: [Dot] = []
    ) -> Hash {
        let operation = operation(body, author, seen: seen)
        let row = LogRow(
            key: LogKey(zone: Self.zone, actor: Self.actors[author], lane: .control),
            device: Self.devices[author],
            incarnation: known("an incarnation", Incarnation([UInt8](repeating: 1, count: Incarnation.byteCount))),
            right: .zero
        )
        held.append(HeldControl(row: row, operation: operation, body: body, isHandedOn: isHandedOn))
        let hash = operation.header.leafHash
        if counts { state.verdicts[hash] = .counts }
        return hash
    }

    var graph: EpochGraph { EpochGraph(statements(held), zone: Self.zone) }

    private func statements(_ held: [HeldControl]) -> [(statement: EpochStatement, isHandedOn: Bool)] {
        held.compactMap { control in
            EpochStatement(control.operation, control.body, by: control.row.device).map { ($0, control.isHandedOn) }
        }
    }

    /// The epochs as they come in, one statement after the other; from nothing where a statement changes an earlier
    /// epoch.
    private var grown: EpochGraph {
        var graph = EpochGraph([], zone: Self.zone)
        let all = statements(held)
        for (index, next) in all.enumerated() where !graph.add(next.statement, isHandedOn: next.isHandedOn) {
            graph = EpochGraph(Array(all[...index]), zone: Self.zone)
        }
        return graph
    }

    // MARK: The laws

    func demandOrder(_ graph: EpochGraph) {
        demand(
            graph.order.count == graph.epochs.count && Set(graph.order) == Set(graph.epochs.keys),
            "each epoch has a place"
        )
        var before: Set<Hash> = []
        for hash in graph.order {
            let epoch = known("an epoch in order", graph.epochs[hash])
            let held = epoch.content.previous.filter { graph.epochs[$0] != nil }
            demand(before.isSuperset(of: held), "an epoch stands behind those that it follows")
            demand(epoch.depth == (held.compactMap { graph.epochs[$0]?.depth }.max() ?? -1) + 1, "a depth is one more")
            before.insert(hash)
        }
        let again = EpochGraph(statements(held.reversed() + held), zone: Self.zone)
        demandSame(again, graph)
        demandSame(grown, graph)
    }

    private func demandSame(_ again: EpochGraph, _ graph: EpochGraph) {
        demand(again.epochs.count == graph.epochs.count, "repetition does not matter")
        demand(
            again.heads == graph.heads && Set(again.last) == Set(graph.last),
            "order does not matter for what comes last"
        )
        for (hash, epoch) in graph.epochs {
            let other = known("an epoch in another order", again.epochs[hash])
            demand(
                other.readers == epoch.readers && other.supplied == epoch.supplied
                    && other.isHandedOn == epoch.isHandedOn,
                "order and repetition do not matter for who gets it"
            )
            demand(
                other.readers == epoch.readers && other.depth == epoch.depth && other.disclosed == epoch.disclosed
                    && other.isExposed == epoch.isExposed,
                "order and repetition do not matter"
            )
        }
    }

    /// Returns the devices with an envelope of an epoch, or of one whose chain leads to it.
    private func given(_ hash: Hash) -> Set<DeviceID> {
        var (reaching, isMore): (Set<Hash>, Bool) = ([hash], true)
        while isMore {
            let found = contents.filter { key, content in
                !reaching.contains(key) && content.chain.contains { reaching.contains($0.epoch) }
            }
            isMore = !found.isEmpty
            reaching.formUnion(found.keys)
        }
        let begun = contents.filter { reaching.contains($0.key) }.flatMap(\.value.envelopes)
        let delivered = deliveries.filter { reaching.contains($0.epoch) }.flatMap(\.envelopes)
        return Set((begun + delivered).map(\.device))
    }

    func demandReaders(_ graph: EpochGraph) {
        demand(Set(graph.epochs.keys) == Set(contents.keys), "what decodes is an epoch, and nothing else")
        for (hash, epoch) in graph.epochs { demand(epoch.readers == given(hash), "nobody reads without an envelope") }
    }

    private func keyring(of index: Int, _ graph: EpochGraph) -> EpochKeyring {
        var opening = EpochOpening(graph, zone: Self.zone, keyring: EpochKeyring())
        opening.run(for: Self.devices[index]) { envelope, _ in
            guard envelope.count == 33, envelope[0] == UInt8(index) else { return nil }
            return try? EpochKey(bytes: Array(envelope.dropFirst()))
        }
        return opening.keyring
    }

    /// The epochs whose keys are public.
    private func exposed(_ graph: EpochGraph) -> Set<Hash> {
        graph.epochs.filter { $0.value.disclosed != nil }.reduce(into: []) { $0.formUnion(graph.chained(from: $1.key)) }
    }

    func demandOpening(_ graph: EpochGraph) {
        let disclosed = exposed(graph)
        // One of each account but one; all of them would be most of the time.
        for index in [0, 3, 6] {
            let keyring = keyring(of: index, graph)
            for (hash, epoch) in graph.epochs {
                guard let key = keyring.key(hash) else { continue }
                demand(
                    key.confirmTag(zone: Self.zone, place: epoch.place) == epoch.content.confirm,
                    "a key is the confirmed one"
                )
                demand(
                    epoch.readers.contains(Self.devices[index]) || disclosed.contains(hash),
                    "what opens was given or disclosed"
                )
            }
        }
    }

    private func plan(_ graph: EpochGraph, _ history: ZoneHistory) -> EpochPlan {
        let keyring = keyring(of: 0, graph)
        return EpochPlan(
            EpochFacts(
                graph: graph,
                readers: readers,
                history: history,
                device: Self.devices[0],
                author: Self.actors[0],
                counts: { state.verdicts[$0] == .counts },
                isAddressable: addressable.contains,
                isOpen: { keyring.key($0) != nil },
                isApplied: { _ in true },
                hasSeen: { _ in true }
            )
        )
    }

    /// Lets the first device act on its plan until nothing is left to do.
    mutating func demandPlan(_ history: ZoneHistory, _ first: EpochGraph) {
        // A device that cannot open its own statements makes none.
        admit(Self.devices[0], 0)
        var graph = first
        for _ in 0..<4 {
            let plan = plan(graph, history)
            if let current = plan.current {
                let epoch = known("the epoch that is written under", graph.epochs[current])
                demand(
                    state.verdicts[current] == .counts && !exposed(graph).contains(current) && !epoch.isExposed,
                    "what is written under counts and is secret"
                )
                demand(epoch.readers.allSatisfy { readers[$0] != nil }, "what is written under is had by readers alone")
            }
            if plan.steps.isEmpty {
                let current = known("something to write under", plan.current.flatMap { graph.epochs[$0] })
                // A device that denies a key that this one gave it receives the key from others.
                let denying = plan.current.map { current in
                    addressable.filter { graph.isDoubted(Self.actors[0], of: current, to: $0) }
                }
                demand(
                    current.supplied.union(denying ?? []).isSuperset(of: addressable),
                    "every reader gets what is written under"
                )
                let keyring = keyring(of: 0, graph)
                demand(
                    graph.epochs.allSatisfy { $0.value.isHandedOn || keyring.key($0.key) == nil },
                    "what is open is handed on"
                )
                return
            }
            for step in plan.steps { perform(step, graph, history) }
            graph = self.graph
        }
        preconditionFailure("law broken: what is due is said once")
    }

    private mutating func perform(_ step: EpochPlan.Step, _ graph: EpochGraph, _ history: ZoneHistory) {
        let keyring = keyring(of: 0, graph)
        func envelopes(_ key: EpochKey, _ devices: some Sequence<DeviceID>) -> [KeyEnvelope] {
            devices.compactMap { device in
                Self.devices.firstIndex(of: device).map { index in
                    KeyEnvelope(device: device, sealed: [UInt8(index)] + key.exportBytes())
                }
            }
        }
        switch step {
        case .sayAgain(let hash):
            let begun = known("what began an epoch", held.first { $0.operation.header.leafHash == hash })
            demand(!begun.isHandedOn && keyring.key(hash) != nil, "what is said again is lacking, and open")
            _ = keep(.epochAgain(begun.operation.encoded), 0, counts: true)
        case .begin(let previous, let chain):
            demand(previous.count <= Limits.epochPreviousCountMax, "an epoch follows no more than it may")
            demand(Set(previous).isSuperset(of: chain), "a chain leads to what is followed")
            let place = Dot(actor: Self.actors[0], counter: UInt64(held.count + 1))
            let key = always("a key") { try EpochKey(bytes: [UInt8](repeating: 0xEE, count: 32)) }
            let content = KeyEpoch(
                previous: previous,
                confirm: key.confirmTag(zone: Self.zone, place: place),
                chain: chain.map { hash in
                    key.link(to: known("the key of a link", keyring.key(hash)), of: hash, zone: Self.zone)
                },
                envelopes: envelopes(key, addressable)
            )
            note(content, keep(.epoch(content.encoded), 0, counts: true))
        case .deliver(let hash, let devices):
            let epoch = known("an epoch to deliver", graph.epochs[hash])
            demand(!devices.isEmpty && epoch.supplied.isDisjoint(with: devices), "a key is delivered to who lacks it")
            demand(addressable.isSuperset(of: devices), "a key is delivered to readers")
            if history == .fromJoin {
                let accounts = Set(epoch.readers.compactMap { readers[$0] })
                demand(
                    devices.allSatisfy { accounts.contains(readers[$0] ?? Self.account(9)) },
                    "what was before a join stays"
                )
            }
            let key = known("the key that is delivered", keyring.key(hash))
            let delivery = KeyDelivery(epoch: hash, envelopes: envelopes(key, devices))
            deliveries.append(delivery)
            _ = keep(.delivery(delivery.encoded), 0, counts: true)
        case .disclose: demand(false, "a key is disclosed in zones alone that everybody may read")
        }
    }
}
