import CoreMetrics
package import Session

/// The metrics of a transport's channels; given to the transport where it is made.
package struct SessionMetrics: Sendable {
    private let open: Meter
    private let opened: [SessionSide: Counter]
    private let ended: CounterSet<SessionEnd>
    private let failed: [SessionSide: CounterSet<HandshakeFailure>]
    private let refused: CounterSet<ConnectionRefusal>
    private let sent: Counter
    private let received: Counter

    /// Makes the metrics.
    /// - Parameters:
    ///   - kind: The kind of the peers of the transport's sessions.
    ///   - port: The store of the metrics.
    package init(_ kind: SessionKind, _ port: any MetricsPort = NoMetrics()) {
        let fixed = [(SessionKind.name, kind.rawValue)]
        open = port.gauge(.sessionsOpen, fixed)
        ended = CounterSet(.sessionsEnded, port, fixed)
        refused = CounterSet(.connectionsRefused, port, fixed)
        sent = port.counter(.bytesSent, fixed)
        received = port.counter(.bytesReceived, fixed)
        var opened: [SessionSide: Counter] = [:]
        var failed: [SessionSide: CounterSet<HandshakeFailure>] = [:]
        for side in kind.sides {
            let both = fixed + [(SessionSide.name, side.rawValue)]
            opened[side] = port.counter(.sessionsOpened, both)
            failed[side] = CounterSet(.handshakesFailed, port, both)
        }
        self.opened = opened
        self.failed = failed
        // Is 0 until the first one is established.
        open.set(0)
    }

    /// Bytes went out.
    package func sent(byteCount: Int) { sent.increment(by: byteCount) }

    /// Bytes came in.
    package func received(byteCount: Int) { received.increment(by: byteCount) }

    /// A session is established.
    package func opened(_ side: SessionSide) {
        opened[side]?.increment()
        open.increment()
    }

    /// A session that stood is over.
    package func ended(_ reason: CloseReason) {
        ended.add(SessionEnd(reason))
        open.decrement()
    }

    /// A connection came to nothing.
    package func failed(_ failure: HandshakeFailure, _ side: SessionSide) { failed[side]?.add(failure) }

    /// A connection was closed before its handshake.
    package func refused(_ refusal: ConnectionRefusal) { refused.add(refusal) }
}
