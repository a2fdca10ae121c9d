import Sync
import TestSupport
import Testing
import Wire

/// A core under a clock that a test turns: device 1 of an account to which devices 2, 3 and 4 belong.
struct CoreHarness {
    var core: SyncCore
    var random = SeededGenerator(seed: 42)
    var now: UInt64 = 1_000_000

    init(limits: SyncLimits = SyncLimits(), program: ProgramNote? = nil) {
        core = SyncCore(
            localDevice: Sample.device(1),
            incarnation: Sample.incarnation,
            account: Sample.account,
            limits: limits,
            program: program
        )
        know([1, 2, 3, 4])
    }

    /// Takes an account log that holds these devices.
    @discardableResult
    mutating func know(_ devices: [Int], removed: [Int] = []) -> [SyncEffect] {
        var standings: [DeviceID: Standing] = [:]
        for device in devices { standings[Sample.device(device)] = .active }
        for device in removed { standings[Sample.device(device)] = .removed }
        let heads = [Sample.hash(UInt64(devices.count * 100 + removed.count))]
        return feed(.accountChanged(heads: heads, standings: standings))
    }

    @discardableResult
    mutating func feed(_ input: SyncInput, _ location: SourceLocation = #_sourceLocation) -> [SyncEffect] {
        var effects: [SyncEffect] = []
        core.handle(input, at: now, wall: now, random: &random, into: &effects)
        if let deadline = core.nextDeadline {
            #expect(deadline > now, "a driver would spin", sourceLocation: location)
        }
        return effects
    }

    /// Opens a session with a device; its number is the device's.
    @discardableResult
    mutating func open(
        _ device: Int,
        standing: Standing = .active,
        heads: [Hash] = [Sample.hash(400)],
        isInitiator: Bool = true,
        account: AccountID = Sample.account,
        isByEarlierKey: Bool = false,
        remoteRevision: UInt8 = 0
    ) -> [SyncEffect] {
        let opening = SessionOpening(
            session: SessionID(device),
            device: Sample.device(device),
            account: account,
            standing: standing,
            accountHeads: heads,
            binding: [UInt8](repeating: UInt8(device), count: 32),
            isInitiator: isInitiator,
            isByEarlierKey: isByEarlierKey,
            remoteRevision: remoteRevision
        )
        return feed(.opened(opening))
    }

    @discardableResult
    mutating func hear(_ device: Int, _ message: PeerMessage, byteCount: Int = 100) -> [SyncEffect] {
        feed(.received(SessionID(device), message, byteCount: byteCount))
    }

    /// Opens a session and exchanges the sizes of zone 0 that each side holds.
    mutating func openInStep(_ device: Int, theirs: [Int: UInt64], isInitiator: Bool = true) -> [SyncEffect] {
        open(device, isInitiator: isInitiator)
        return hear(device, .zoneState(Sample.zoneState(0, theirs)))
    }

    /// Lets time pass as a driver does, tick by tick; peers stay audible if requested.
    @discardableResult
    mutating func wait(_ milliseconds: UInt64, hearing devices: [Int] = []) -> [SyncEffect] {
        let end = now + milliseconds
        var effects: [SyncEffect] = []
        while let deadline = core.nextDeadline, deadline <= end {
            now = max(now, deadline)
            effects += feed(.tick)
            for device in devices { effects += hear(device, .pong(Pong(nonce: 0, wallMilliseconds: 0))) }
        }
        now = end
        return effects + feed(.tick)
    }

    /// Answers the request to show a log with its hashes.
    @discardableResult
    mutating func show(_ session: SessionID, _ device: Int, size: UInt64) -> [SyncEffect] {
        let gaps = (0..<size).map { LogItem.gap(SubtreeGap(level: 0, index: $0, hash: .zero)) }
        let head = Sample.signedHead(device, size: size)
        let run = Run(signedHead: head, from: 0, checkpoint: .zero, items: gaps)
        return feed(.runRead(session, Sample.log(device), run, byteCount: 100))
    }

    /// Answers a read with a run up to a size.
    @discardableResult
    mutating func read(_ read: ReadOrder?, to size: UInt64, byteCount: Int = 100) throws -> [SyncEffect] {
        let read = try #require(read)
        let device = try #require((1...9).first { Sample.actor($0) == read.key.actor })
        let number = try #require((0..<400).first { Sample.zone($0) == read.key.zone })
        let run = Sample.run(device, zone: number, from: read.from, to: size, lane: read.key.lane)
        return feed(.runRead(read.session, read.key, run, byteCount: byteCount))
    }
}

/// A `readRun` effect.
struct ReadOrder: Equatable {
    var session: SessionID
    var key: LogKey
    var from: UInt64
}

extension [SyncEffect] {
    /// The messages sent on a session, pings aside.
    func messages(to device: Int) -> [PeerMessage] {
        compactMap { effect in
            guard case .send(SessionID(device), let message) = effect, message.tag != 8 else { return nil }
            return message
        }
    }

    /// The place that the core assigns to the device of each session.
    var places: [SessionID: SessionPlace] {
        reduce(into: [:]) { if case .setPlace(let session, let place) = $1 { $0[session] = place } }
    }

    func states(to device: Int) -> [ZoneState] {
        messages(to: device).compactMap { if case .zoneState(let state) = $0 { state } else { nil } }
    }

    func acknowledgements(to device: Int) -> [AcknowledgedLog] {
        messages(to: device).flatMap { (message) -> [AcknowledgedLog] in
            if case .acknowledge(let acknowledgement) = message { acknowledgement.logs } else { [] }
        }
    }

    /// The sizes of the heads of the runs that are sent on a session.
    func runs(to device: Int) -> [UInt64] {
        messages(to: device).compactMap { if case .run(let run) = $0 { run.signedHead.head.size } else { nil } }
    }

    var reads: [ReadOrder] {
        compactMap { effect in
            guard case .read(.run(let session, let key, let from, _)) = effect else { return nil }
            return ReadOrder(session: session, key: key, from: from)
        }
    }

    var skeletons: [LogKey] {
        compactMap { if case .read(.skeleton(_, let key)) = $0 { key } else { nil } }
    }

    var closed: [SessionID: SyncCloseCode] {
        reduce(into: [:]) { result, effect in
            if case .close(let id, let code, _) = effect { result[id] = code }
        }
    }

    var reports: [SyncReport] {
        compactMap { if case .report(let report) = $0 { report } else { nil } }
    }

    /// The reported anomalies: acts that no honest program does.
    var anomalies: [Anomaly] {
        reports.compactMap { if case .anomaly(let anomaly) = $0 { anomaly } else { nil } }
    }

    /// The log sizes that are saved as a device's holdings.
    func saved(of device: Int) -> [LogKey: UInt64] {
        reduce(into: [:]) { result, effect in
            guard case .write(.acknowledge(Sample.device(device), let rows)) = effect else { return }
            result.merge(rows) { Swift.max($0, $1) }
        }
    }

    var appliedKeys: [LogKey] {
        compactMap { if case .write(.apply(_, _, let key, _)) = $0 { key } else { nil } }
    }

    /// The devices whose logs have no effective operations, as the core notes them.
    var notedEmpty: [DeviceID] {
        flatMap { (effect) -> [DeviceID] in
            if case .write(.noteEmptyLogs(Sample.zone(0), let logs)) = effect { logs.map(\.device) } else { [] }
        }
    }

    var foundBehind: Bool {
        contains { if case .write(.renewIfBehind) = $0 { true } else { false } }
    }

    /// The sessions for which account entries are read, and the heads that these need not contain.
    var accountReads: [(session: SessionID, heads: [Hash])] {
        compactMap { if case .readAccountEntries(let id, _, let heads) = $0 { (id, heads) } else { nil } }
    }
}
