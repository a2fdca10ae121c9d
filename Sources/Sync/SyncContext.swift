import Wire

/// The part of the core that sessions and features see while an input is handled: the knowledge of this device, the
/// time, and the effects so far.
struct SyncContext: Sendable {
    var limits: SyncLimits
    /// The program that runs here, for people at the other devices.
    let program: ProgramNote?
    var sharing: ZoneSharing
    /// This device's part of the account's present recovery words, for the account's other devices.
    var recoverySecret: RecoverySecret?
    /// The present key of the account's devices, for those that dial under an earlier one.
    var fleetSecret: FleetSecret?
    /// The entries that made the keys of the account's devices that this one has.
    var fleetKeys: Set<Hash> = []
    /// Milliseconds of a monotonic clock.
    var now: UInt64 = 0
    /// The instructions to the driver, in order; none between two inputs.
    var effects: [SyncEffect] = []

    init(_ sharing: ZoneSharing, limits: SyncLimits, program: ProgramNote?) {
        self.sharing = sharing
        self.limits = limits
        self.program = program
    }

    mutating func send(_ message: PeerMessage, to id: SessionID) { effects.append(.send(id, message)) }

    mutating func read(_ question: StoreRead) { effects.append(.read(question)) }

    mutating func write(_ change: StoreWrite) { effects.append(.write(change)) }

    mutating func report(_ report: SyncReport) { effects.append(.report(report)) }

    /// Notices a peer that holds more of our own log than we ever wrote.
    mutating func checkOwn(_ key: LogKey, size: UInt64) {
        if sharing.isAhead(key, size: size) { write(.renewIfBehind(key, sharing.localIncarnation, size: size)) }
    }
}
