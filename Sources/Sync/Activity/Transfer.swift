package import Wire

/// A step in the exchange of one zone's operations with one session.
package struct Transfer: Sendable, Equatable {
    /// The direction of a transfer.
    package enum Direction: Sendable, Hashable {
        /// From the peer.
        case incoming
        /// To the peer.
        case outgoing
    }

    /// Whether more is on its way.
    package enum State: Sendable, Equatable {
        /// Something is on its way, or about to be.
        case moving
        /// Nothing is; and there is nothing left that one side is known to have and the other to lack, or there may be.
        case resting(isComplete: Bool)
    }

    /// The reason why it cannot continue; the raw values are part of the interface.
    package enum Failure: String, Sendable {
        /// The session ended in the middle.
        case connectionLost = "connection_lost"
        /// This node's disk is full.
        case storageFull = "storage_full"
        /// This node's store failed otherwise.
        case storageFailed = "storage_failed"
        /// The peer's disk is full.
        case peerStorageFull = "peer_storage_full"
        /// The peer cannot take anything just now.
        case peerBusy = "peer_busy"
        /// A message from the peer breaks the protocol.
        case violation
        /// A log that arrived contradicts the one that is held here.
        case contradiction
        /// A log that came was proved to have two histories.
        case fork
        /// No progress was heard of for minutes.
        case stalled
    }

    /// The session.
    package var session: SessionID
    /// The direction.
    package var direction: Direction
    /// The zone.
    package var zone: ZoneID
    /// The other device.
    package var peer: DeviceID
    /// Its account.
    package var account: AccountID
    /// Operations that came through since the last report.
    package var count: UInt64 = 0
    /// Whether more is on its way.
    package var state: State
    /// The failure since the last report.
    package var failure: Failure?

    /// Describes a step.
    package init(
        session: SessionID,
        direction: Direction,
        zone: ZoneID,
        peer: DeviceID,
        account: AccountID,
        count: UInt64 = 0,
        state: State,
        failure: Failure? = nil
    ) {
        self.session = session
        self.direction = direction
        self.zone = zone
        self.peer = peer
        self.account = account
        self.count = count
        self.state = state
        self.failure = failure
    }
}

extension Transfer.Failure {
    /// Makes the failure of an import from the outcome of a run; `nil` where there is none.
    init?(_ outcome: RunOutcome) {
        switch outcome {
        case .durable, .misplaced, .unexplained, .unwanted, .controlLogFull, .forkKnown: return nil
        case .violation, .brokenLog: self = .violation
        case .contradiction: self = .contradiction
        case .fork: self = .fork
        case .storageFull: self = .storageFull
        case .storageFailed: self = .storageFailed
        }
    }
}
