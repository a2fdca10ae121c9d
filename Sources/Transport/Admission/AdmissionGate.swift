import NIOCore
import Session
import Synchronization

/// The admission limits as all event loops share them.
final class AdmissionGate: Sendable {
    private let limiter: Mutex<AdmissionLimiter<AddressPrefix>>

    /// A gate that has seen nobody.
    init(_ configuration: AdmissionLimiter<AddressPrefix>.Configuration) {
        limiter = Mutex(AdmissionLimiter(configuration: configuration))
    }

    /// A connection came in.
    /// - Returns: A pass that must be given back once, or `nil` to hang up without a word.
    func connected(from address: SocketAddress?, at now: NIODeadline) -> AdmissionPass? {
        guard let prefix = address.flatMap(AddressPrefix.init) else { return nil }
        let decision = limiter.withLock { $0.connected(from: prefix, now: now.uptimeNanoseconds / 1_000_000) }
        guard case .admitted(let ticket) = decision else { return nil }
        return AdmissionPass(ticket: ticket, gate: self)
    }

    fileprivate func finished(_ ticket: AdmissionLimiter<AddressPrefix>.Ticket) {
        limiter.withLock { $0.finished(ticket) }
    }

    /// How many connections have not finished their handshake.
    var halfOpenCount: Int { limiter.withLock { $0.halfOpenCount } }
}

/// The right to one half-open connection; given back when it goes away, at the latest.
final class AdmissionPass: Sendable {
    private let ticket: AdmissionLimiter<AddressPrefix>.Ticket
    private let gate: AdmissionGate

    fileprivate init(ticket: AdmissionLimiter<AddressPrefix>.Ticket, gate: AdmissionGate) {
        self.ticket = ticket
        self.gate = gate
    }

    deinit {
        gate.finished(ticket)
    }
}
