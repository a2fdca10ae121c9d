import Invocation
import Logging
import Sync
import Synchronization
import Testing

@testable import PeerDaemon

@Suite struct `A start on a full disk` {
    private func waiting(_ pauses: Pauses) -> RoomForStart {
        RoomForStart(
            notifier: ServiceNotifier(environment: [:]),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            pause: { pauses.add($0) }
        )
    }

    private func full() throws -> UnusableState {
        try #require(UnusableState(StorageError(code: .diskFull, message: "full"), in: "/state"))
    }

    @Test func `is tried again, less and less often, until there is room`() async throws {
        let (pauses, full) = (Pauses(), try full())
        var attempts = 0
        let value = try await waiting(pauses).wait {
            attempts += 1
            guard attempts > 7 else { throw full }
            return attempts
        }
        #expect(value == 8 && pauses.all == [2, 4, 8, 16, 30, 30, 30])
    }

    @Test(arguments: [StorageError.Code.inputOutput, .locked, .corrupt, .otherFormat, .inaccessible, .misuse])
    func `is not waited for when something else is wrong`(code: StorageError.Code) async throws {
        let pauses = Pauses()
        let error = try #require(UnusableState(StorageError(code: code, message: "no"), in: "/state"))
        await #expect(throws: UnusableState.self) { try await waiting(pauses).wait { throw error } }
        #expect(pauses.all.isEmpty)
        // The service manager tries again only where that may help.
        let mayPass = code == .inputOutput || code == .locked
        #expect(error.exitCode == (mayPass ? 75 : 73))
    }
}

private final class Pauses: Sendable {
    private let values = Mutex<[Int]>([])

    var all: [Int] { values.withLock { $0 } }

    func add(_ value: Int) { values.withLock { $0.append(value) } }
}
