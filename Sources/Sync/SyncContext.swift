import Identity
import Records
import Wire

/// The part of the core that sessions and features see while an input is handled: the knowledge of this device, the
/// time, and the effects so far.
struct SyncContext: Sendable {
    var limits: SyncLimits
    /// The program that runs here, for people at the other devices.
    let program: ProgramNote?
    var rights: ExchangeRights
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
    /// The ends by which logs of the zone that has changed have grown; none between two inputs, so that no copy outlives a later change.
    var tails: [LogKey: LogTail] = [:]

    init(_ rights: ExchangeRights, limits: SyncLimits, program: ProgramNote?) {
        self.rights = rights
        self.limits = limits
        self.program = program
    }

    mutating func send(_ message: PeerMessage, to id: SessionID) { effects.append(.send(id, message)) }

    mutating func read(_ question: StoreRead) { effects.append(.read(question)) }

    mutating func write(_ change: StoreWrite) { effects.append(.write(change)) }

    mutating func report(_ report: SyncReport) { effects.append(.report(report)) }

    /// Has the store verify a head of one of its own logs that claims more than was written here.
    ///
    /// Sizes without a head have no such consequence: any device that sees the zone could state one. A peer that truly
    /// holds more returns the head when it learns the size that is held here.
    mutating func checkOwn(_ signed: SignedTreeHead) {
        if isAhead(signed.head) { write(.renewIfBehind(signed)) }
    }

    /// Whether a head of one of this store's own logs claims more than was written here.
    func isAhead(_ head: TreeHead) -> Bool {
        rights.isOwn(head.device, head.incarnation) && rights.isAhead(head.key, size: head.size)
    }
}
