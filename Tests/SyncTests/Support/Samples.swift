import Identity
import Records
import Sodium
import Sync
import Wire

/// Small numbers for the things that tests name.
enum Sample {
    static let account = AccountID(repeated(0xA0)) ?? .zero
    static let foreign = AccountID(repeated(0xA1)) ?? .zero
    static let incarnation = known(Incarnation([UInt8](repeating: 1, count: 16)))

    /// A value whose bytes have the right count.
    private static func known<Value>(_ value: Value?) -> Value {
        guard let value else { preconditionFailure("a sample has the wrong size") }
        return value
    }

    private static func repeated(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    static func device(_ number: Int) -> DeviceID {
        DeviceID([UInt8](repeating: 0, count: 30) + [UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]) ?? .zero
    }

    static func actor(_ number: Int) -> ActorID {
        ActorID(device: device(number), incarnation: incarnation, right: .zero)
    }

    static func hash(_ number: UInt64) -> Hash {
        Hash(digesting: .rangeDigest, withUnsafeBytes(of: number.bigEndian) { Array($0) })
    }

    static func genesis(_ number: Int) -> ZoneGenesis {
        ZoneGenesis(
            owner: account,
            container: "org.example.notes",
            name: "zone \(number)",
            salt: [UInt8](repeating: 7, count: ZoneGenesis.saltByteCount),
            history: .full,
            isDefault: false
        )
    }

    static func zone(_ number: Int) -> ZoneID { ZoneID(genesis(number)) }

    /// The log of a device in a zone.
    static func log(_ device: Int, zone number: Int = 0, _ lane: Lane = .data) -> LogKey {
        LogKey(zone: zone(number), actor: actor(device), lane: lane)
    }

    static func state(_ device: Int, _ size: UInt64, _ lane: Lane = .data, root: UInt64? = nil) -> LogState {
        LogState(
            device: Sample.device(device),
            incarnation: incarnation,
            right: .zero,
            lane: lane,
            size: size,
            root: hash(root ?? size)
        )
    }

    /// A zone with data logs of these sizes, by device; `uncompared` are the devices whose control logs are left out of
    /// the comparison.
    static func snapshot(
        _ number: Int,
        _ sizes: [Int: UInt64],
        control: [Int: UInt64] = [:],
        isWaiting: Bool = false,
        isUnverified: Bool = false,
        uncompared: [Int] = []
    ) -> ZoneSnapshot {
        var logs: [LogKey: LogState] = [:]
        for (device, size) in sizes { logs[log(device, zone: number)] = state(device, size) }
        for (device, size) in control { logs[log(device, zone: number, .control)] = state(device, size, .control) }
        return ZoneSnapshot(
            zone: zone(number),
            genesis: genesis(number),
            logs: logs,
            checkpoint: .zero,
            uncompared: Set(uncompared.map { log($0, zone: number, .control) }),
            isWaiting: isWaiting,
            isUnverified: isUnverified
        )
    }

    /// Returns a peer's message about a zone, with sizes by device.
    static func zoneState(
        _ number: Int,
        _ sizes: [Int: UInt64],
        control: [Int: UInt64] = [:],
        wantsReply: Bool = false,
        root: UInt64? = nil
    ) -> Wire.ZoneState {
        Wire.ZoneState(
            zone: zone(number),
            genesis: genesis(number),
            logs: sizes.map { state($0.key, $0.value, root: root) } + control.map { state($0.key, $0.value, .control) },
            checkpoint: .zero,
            wantsReply: wantsReply
        )
    }

    static func snapshot(_ sizes: [Int: UInt64]) -> ZoneSnapshot { snapshot(0, sizes) }

    static func zoneState(
        _ sizes: [Int: UInt64],
        wantsReply: Bool = false,
        root: UInt64? = nil
    ) -> Wire.ZoneState {
        zoneState(0, sizes, wantsReply: wantsReply, root: root)
    }

    static func signedHead(_ device: Int, zone number: Int = 0, size: UInt64, lane: Lane = .data) -> SignedTreeHead {
        let head = TreeHead(
            zone: zone(number),
            device: Sample.device(device),
            incarnation: incarnation,
            lane: lane,
            size: size,
            root: hash(size),
            right: .zero,
            seen: VersionVector()
        )
        return SignedTreeHead(
            head,
            signature: known(Signature64([UInt8](repeating: 0, count: 64)))
        )
    }

    /// A run without items: the core never looks at them.
    static func run(_ device: Int, zone number: Int = 0, from: UInt64, to size: UInt64, lane: Lane = .data) -> Run {
        Run(
            signedHead: signedHead(device, zone: number, size: size, lane: lane),
            from: from,
            checkpoint: .zero,
            items: []
        )
    }

    static func acknowledge(_ device: Int, zone number: Int = 0, size: UInt64, lane: Lane = .data) -> PeerMessage {
        let log = AcknowledgedLog(actor: actor(device), lane: lane, size: size)
        return .acknowledge(Acknowledge(zone: zone(number), logs: [log]))
    }

    /// Messages that a device left in a mailbox.
    static func delivery(of sender: Int, _ messages: [PeerMessage]) -> MailDelivery {
        MailDelivery(id: SessionID(1_000 + sender), device: device(sender), account: account, messages: messages)
    }
}
