import Records
import ReplicaBehaviour
import Sodium
import Testing
import Wire

@testable import Sync

@Suite struct `The rules of a node's rows and states` {
    private let secret = StoredSecret(Array(repeating: 7, count: StoredSecret.byteCount))
    private let tag = RecordTag(digesting: .treeNode, [1])

    /// The first rule that a value breaks after a change; nil for a valid one.
    private func broken<Value: Validated>(_ value: Value, _ change: (inout Value) -> Void = { _ in }) -> String? {
        var changed = value
        change(&changed)
        do throws(BrokenRule) {
            try changed.checkRules()
            try changed.checkCostlyRules()
            return nil
        } catch {
            return error.rule
        }
    }

    @Test func `are about messages`() {
        let row = MessageRow(
            id: MessageID(zone: TestZone.id, tag: tag),
            number: 1,
            zone: TestZone.id,
            tag: tag,
            place: Dot(actor: .zero, counter: 1),
            state: .waiting
        )
        #expect(broken(row) == nil)
        #expect(broken(row) { $0.state = .fetching } == "a message waits for its payload only where it has one")
        #expect(broken(row) { $0.state = .hidden } == nil)
        #expect(
            broken(row) { ($0.state, $0.owesAnswer) = (.hidden, true) }
                == "a hidden message is answered when it is shown again"
        )
        #expect(broken(row) { $0.isSettled = true } == "recipients answer a message that was sent from here")
        #expect(broken(row) { $0.heldSince = 1 } == "a message that was sent from here is sealed again")
        #expect(
            broken(row) { ($0.state, $0.isSettled) = (.sent, true) }
                == "a message is settled so that no relay need keep its payload"
        )
        #expect(
            broken(row) { $0.tag = RecordTag(digesting: .treeNode, [2]) }
                == "the id of a message follows from its zone and its record"
        )
    }

    @Test func `are about payloads`() {
        func row(
            _ state: PayloadRow.State,
            id: UInt8?,
            isOpened: Bool = true,
            keptUntil: UInt64? = nil,
            isAsset: Bool = false,
            unnamedSince: UInt64? = nil,
            chunkByteCount: Int = Limits.chunkByteCount
        ) -> String? {
            broken(
                PayloadRow(
                    number: 1,
                    id: id.map { PayloadID(digesting: .treeNode, [$0]) },
                    zone: TestZone.id,
                    state: state,
                    byteCount: 1,
                    secret: isOpened ? secret : nil,
                    begun: 1,
                    keptUntil: keptUntil,
                    isAsset: isAsset,
                    unnamedSince: unnamedSince,
                    chunkByteCount: chunkByteCount
                )
            )
        }
        #expect(row(.uploading, id: nil) == nil && row(.wanted, id: 1) == nil && row(.released, id: nil) == nil)
        #expect(row(.present, id: 1, isOpened: false, keptUntil: 1) == nil)
        #expect(row(.uploading, id: 1) == "the id of a payload is known at its end")
        #expect(row(.uploading, id: nil, isOpened: false) == "a payload that is uploaded here is sealed here")
        for state in [PayloadRow.State.wanted, .present] {
            #expect(row(state, id: nil) == "a payload that is wanted or present has an id")
            #expect(
                row(state, id: 1, isOpened: false) == "a payload that cannot be opened here is kept for others"
            )
        }
        #expect(row(.released, id: 1) == "a payload that was released is found by its number alone")
        for state in [PayloadRow.State.remote, .evicted] {
            #expect(row(state, id: 1, isAsset: true, unnamedSince: 1) == nil)
            #expect(row(state, id: nil, isAsset: true) == "a payload that a record names has an id")
            #expect(row(state, id: 1) == "only an asset is known and not wanted")
            #expect(
                row(state, id: 1, isOpened: false, isAsset: true)
                    == "a payload that can be fetched on request can be opened here"
            )
        }
        #expect(row(.linked, id: 1) == nil && row(.linked, id: 1, isAsset: true) == nil)
        #expect(row(.linked, id: nil) == "a payload in a linked file has an id")
        #expect(row(.linked, id: 1, isOpened: false) == "a payload in a linked file is sealed again here")
        #expect(row(.linked, id: 1, keptUntil: 1) == "a payload that is kept for others is stored")
        #expect(row(.present, id: 1, unnamedSince: 1) == "only an asset is named by records")
        #expect(row(.present, id: 1, chunkByteCount: Limits.chunkByteCountMax) == nil)
        #expect(row(.present, id: 1, chunkByteCount: 1) == "the chunks of a payload have one of the two sizes")
    }

    @Test func `are about parcels`() {
        let log = LogKey(zone: TestZone.id, actor: ActorID(digesting: .treeNode, [1]), lane: .data)
        let row = PostedParcelRow(
            relay: RelayID(digesting: .treeNode, [1]),
            device: DeviceID(digesting: .treeNode, [1]),
            parcel: ParcelID(digesting: .treeNode, [1]),
            day: 1,
            until: 1,
            stretches: [.init(key: log, from: 0, size: 3), .init(key: log, from: 3, size: 4)]
        )
        #expect(broken(row) == nil)
        #expect(broken(row) { $0.stretches[0].size = 0 } == "each stretch in a parcel has leaves")
        #expect(
            broken(row) { $0.stretches[1].from = 2 } == "the stretches of a log in a parcel follow each other"
        )
    }

    @Test func `are about a zone's place in the feed`() {
        let mark = FeedMark(place: .own, changed: 7, entered: 5)
        #expect(broken(mark) == nil && broken(FeedMark(place: .hidden, changed: 7, entered: 0)) == nil)
        #expect(
            broken(mark) { $0.entered = 8 }
                == "the place of a zone changed last when the zone entered it, or later"
        )
        #expect(broken(mark) { $0.entered = 0 } == "a zone has entered its place unless it is hidden")
        #expect(broken(mark) { $0.place = .hidden } == "a zone has entered its place unless it is hidden")
    }

    @Test func `are about sessions`() throws {
        var harness = CoreHarness()
        _ = harness.openInStep(2, theirs: [1: 1])
        let core = harness.core
        #expect(broken(core) == nil)
        #expect(
            broken(core) { $0.replication.sessions[3] = $0.replication.sessions[2] } == "a session is kept under its id"
        )
        #expect(
            broken(core) { $0.replication.sessions[2]?.sending.inFlightByteCount = 1 }
                == "the bytes under way are those of the runs under way"
        )
        #expect(
            broken(core) { $0.replication.sessions[2]?.sending.dirty[Sample.zone(0)] = [:] }
                == "a zone in which nothing waits to be sent is not listed"
        )
        #expect(
            broken(core) { core in
                core.replication.sessions[2]?.phase = .confirming(until: 9)
                let run = SendingWindow.InFlight(key: Sample.log(1), size: 1, byteCount: 0)
                core.replication.sessions[2]?.sending.inFlight = [run]
            } == "nothing is under way to a device that is not confirmed"
        )
        #expect(
            broken(core) { $0.replication.sessions[2]?.liveness.lastHeard = 0 }
                == "a peer is heard when its session opens, or later"
        )
        #expect(
            broken(core) { core in
                var progress = SendingWindow.ZoneProgress(theirs: [Sample.log(1): 2])
                progress.sent = [:]
                core.replication.sessions[2]?.sending.zones[Sample.zone(0)] = progress
            } == "a peer lacks nothing that it has stated or acknowledged"
        )
    }

    @Test func `end the program where assertions are checked`() async {
        #expect(Assertions.areActive)
        await #expect(processExitsWith: .failure) {
            var harness = CoreHarness()
            harness.open(2)
            harness.core.replication.sessions[2]?.sending.inFlightByteCount = 1
            harness.feed(.tick)
        }
    }
}
