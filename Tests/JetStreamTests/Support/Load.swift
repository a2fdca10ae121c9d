import JetStream
import Mailbox
import Synchronization
import Wire

/// Puts one parcel after another, and notes those that the storage acknowledged.
final class Load: Sendable {
    /// The number of puts at the same time.
    static let workerCount = 4
    /// The number of mailboxes that the parcels are in.
    static let mailboxCount = 5

    private let numbers = Mutex<[Int]>([])
    private let over = Mutex(false)

    /// The parcels that were acknowledged.
    var kept: [Int] { numbers.withLock { $0 } }

    /// Ends it, soon.
    func end() { over.withLock { $0 = true } }

    /// One of the parcels; each seventh is large.
    static func deposit(_ number: Int) -> ParcelDeposit {
        Things.deposit(number, in: number % mailboxCount, byteCount: number % 7 == 0 ? 262_144 : 4_096)
    }

    /// Puts until the end.
    ///
    /// A deposit that the storage does not accept is put again.
    func run(_ storage: JetStreamParcelStorage, _ worker: Int) async {
        var number = worker
        while !over.withLock({ $0 }) {
            guard (try? await storage.put(Self.deposit(number))) == .stored else { continue }
            numbers.withLock { $0.append(number) }
            number += Self.workerCount
        }
    }

    /// Waits until so many more are acknowledged.
    func more(_ count: Int) async throws {
        let goal = kept.count + count
        try await until("\(count) more are kept") { kept.count >= goal }
    }
}
