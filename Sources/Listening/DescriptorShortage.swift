import Glibc
package import Logging
import Synchronization

/// Whether listeners of this process wait for descriptors; reported once when it begins, and once when it is over.
///
/// It keeps some descriptors in reserve, which it releases when a listener finds none: requests on open connections
/// need files too, and a caller that asks for the daemon's state gets an answer. A listener accepts again only when
/// the reserve could be taken again.
package final class DescriptorShortage: Sendable {
    private struct State {
        /// Listeners that wait.
        var count = 0
        var reserve: [Int32] = []
        var listener: (@Sendable (_ isShort: Bool) -> Void)?
    }

    private let state = Mutex(State())
    /// The number of descriptors that a daemon keeps in reserve: for the reading connections of its store with their
    /// logs, and some more.
    package static let usualReserve = 32

    private let logger: Logger
    private let reserveCount: Int

    /// No listener waits yet.
    /// - Parameters:
    ///   - reserve: How many descriptors to keep in reserve.
    ///   - logger: Receives beginning and end while there is no listener.
    package init(reserve: Int = 0, logger: Logger) {
        self.logger = logger
        reserveCount = reserve
        _ = mayTry()
    }

    deinit {
        state.withLock { Self.giveUp(&$0.reserve) }
    }

    /// Whether a listener may try again: when the reserve is there, or can be taken.
    func mayTry() -> Bool {
        state.withLock { state in
            while state.reserve.count < reserveCount {
                let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0 else {
                    Self.giveUp(&state.reserve)
                    return false
                }
                state.reserve.append(descriptor)
            }
            return true
        }
    }

    /// A listener that has tried again found no descriptor.
    func goesOn() { state.withLock { Self.giveUp(&$0.reserve) } }

    private static func giveUp(_ reserve: inout [Int32]) {
        for descriptor in reserve { close(descriptor) }
        reserve = []
    }

    /// The number of descriptors in reserve at this moment.
    var reserved: Int { state.withLock { $0.reserve.count } }

    /// Whether a listener waits.
    package var isPresent: Bool { state.withLock { $0.count > 0 } }

    /// Notifies a listener of each beginning and each end, from any thread.
    package func listen(_ listener: @escaping @Sendable (_ isShort: Bool) -> Void) {
        let isPresent = state.withLock { state in
            state.listener = listener
            return state.count > 0
        }
        if isPresent { listener(true) }
    }

    /// A listener begins to wait.
    func began() {
        goesOn()
        change(by: 1)
    }

    /// A listener that waited accepts again, or is closed.
    func ended() { change(by: -1) }

    private func change(by step: Int) {
        let (before, after, listener) = state.withLock { state in
            let before = state.count
            state.count += step
            return (before, state.count, state.listener)
        }
        guard (before == 0) != (after == 0) else { return }
        if let listener { return listener(after > 0) }
        if after > 0 {
            logger.warning(
                "no descriptor is free: connections wait until some are closed",
                metadata: ["limit": "\(DescriptorLimit.present.map(String.init) ?? "unknown")"]
            )
        } else {
            logger.notice("connections are accepted again")
        }
    }
}
