internal import CAvahi
internal import Dispatch
internal import Glibc
internal import Node
internal import Synchronization

/// A thread of its own for Avahi, whose calls may block for as long as the daemon takes to answer.
///
/// Other threads only leave orders behind and wake it up; every handle of Avahi is made, used and freed on the thread.
final class AvahiThread: Sendable {
    /// The time that `stop()` waits for a daemon that does not answer before it abandons the thread.
    static let patience: Duration = .seconds(2)

    private struct Orders {
        var waker: AvahiWaker?
        var isStopped = false
        var hasEnded = false
        var advertisement: ServiceAdvertisement?
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let orders = Mutex(Orders())
    private let queue = DispatchQueue(label: "kairan.avahi")

    /// Runs until `stop()`.
    /// - Parameter makeStation: Makes the station on the thread; gets the way to connect.
    func run(
        _ makeStation: @escaping @Sendable (@escaping () throws(AvahiError) -> any DaemonConnection) -> DiscoveryStation
    ) async {
        await withCheckedContinuation { continuation in
            orders.withLock { $0.waiter = continuation }
            queue.async {
                self.work(makeStation)
                self.end()
            }
        }
    }

    /// Ends `run`, soon; the service is taken off the air.
    func stop() {
        orders.withLock { orders in
            orders.isStopped = true
            orders.waker?.wake()
        }
        let patience = Double(Self.patience.components.seconds)
        // When the daemon does not answer, the end of the process closes the bus, which takes the service off the air.
        DispatchQueue.global().asyncAfter(deadline: .now() + patience) { self.end() }
    }

    /// Leaves something new to publish.
    func advertise(_ advertisement: ServiceAdvertisement) {
        orders.withLock { orders in
            orders.advertisement = advertisement
            orders.waker?.wake()
        }
    }

    /// Lets `run` return, once.
    private func end() {
        let waiter = orders.withLock { orders in
            defer { orders.waiter = nil }
            return orders.waiter
        }
        waiter?.resume()
    }

    private var isStopped: Bool { orders.withLock { $0.isStopped } }

    private func work(_ makeStation: (@escaping () throws(AvahiError) -> any DaemonConnection) -> DiscoveryStation) {
        while !isStopped {
            guard let poll = unsafe avahi_simple_poll_new() else {
                pauseAfterFailure()
                continue
            }
            let waker = unsafe AvahiWaker(poll: poll)
            orders.withLock { $0.waker = waker }
            let station = makeStation { () throws(AvahiError) in
                unsafe try AvahiConnection(poll: poll)
            }
            unsafe serve(station, poll)
            station.close()
            orders.withLock { $0.waker = nil }
            // SAFETY: the station has freed every handle on the poll, and no thread can wake it any more.
            unsafe avahi_simple_poll_free(poll)
            pauseAfterFailure()
        }
    }

    /// Waits a second unless it is time to stop: only a lack of memory or descriptors leads here then.
    private func pauseAfterFailure() {
        if !isStopped { _ = Glibc.poll(nil, 0, 1_000) }
    }

    /// Alternates between the station's steps and waiting for the daemon, an order or the clock.
    private func serve(_ station: DiscoveryStation, _ poll: OpaquePointer) {
        let clock = ContinuousClock()
        var advertised: ServiceAdvertisement?
        while true {
            let (isStopped, advertisement) = orders.withLock { ($0.isStopped, $0.advertisement) }
            if isStopped { return }
            if let advertisement, advertisement != advertised {
                advertised = advertisement
                station.advertise(advertisement)
            }
            let due = station.step(at: clock.now)
            // SAFETY: the poll lives until after this function.
            guard unsafe avahi_simple_poll_iterate(poll, Self.milliseconds(from: clock.now, to: due)) == 0 else {
                return
            }
        }
    }

    /// The time to sleep in milliseconds, rounded up, at most an hour; -1 for as long as nothing happens.
    private static func milliseconds(from now: ContinuousClock.Instant, to due: ContinuousClock.Instant?) -> Int32 {
        guard let due else { return -1 }
        let wait = min(max(now.duration(to: due), .zero), .seconds(3_600))
        return Int32(wait / .milliseconds(1)) + 1
    }
}

/// Wakes a thread out of Avahi's poll.
///
/// SAFETY: the pointer is used for `avahi_simple_poll_wakeup` only, which Avahi offers for other threads: it writes
/// one byte into a pipe. `AvahiThread` takes the waker out of its orders, under the lock, before it frees the poll.
@safe
private struct AvahiWaker: @unchecked Sendable {
    private let poll: OpaquePointer

    init(poll: OpaquePointer) {
        unsafe self.poll = poll
    }

    func wake() {
        unsafe avahi_simple_poll_wakeup(poll)
    }
}
