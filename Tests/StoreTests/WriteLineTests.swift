import Dispatch
import GRDB
@testable import Store
import Synchronization
import Testing

private struct Refusal: Error, Equatable {}

/// Counts the commits.
private final class Commits: TransactionObserver, Sendable {
    let count = Mutex(0)

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ database: Database) { count.withLock { $0 += 1 } }
    func databaseDidRollback(_ database: Database) {}
}

@Suite("Writes that wait for the parcels' database")
struct WriteLineTests {
    private let queue: DatabaseQueue
    private let line: WriteLine
    private let commits = Commits()

    init() throws {
        queue = try DatabaseQueue()
        line = WriteLine(queue)
        try queue.inDatabase { try $0.execute(sql: "CREATE TABLE number (value INTEGER NOT NULL)") }
        queue.add(transactionObserver: commits, extent: .databaseLifetime)
    }

    private func insert(_ number: Int, byteCount: Int = 0) async throws -> Int {
        try await line.write(byteCount: byteCount) { database in
            try database.execute(sql: "INSERT INTO number VALUES (?)", arguments: [number])
            guard number != 13 else { throw Refusal() }
            return number
        }
    }

    private func kept() throws -> [Int] {
        try queue.inDatabase { try Int.fetchAll($0, sql: "SELECT value FROM number ORDER BY value") }
    }

    /// Lets writes wait for each other, and collects their results.
    private func together(_ numbers: Range<Int>, byteCount: Int = 0) async -> [Result<Int, any Error>] {
        let gate = DispatchSemaphore(value: 0)
        queue.asyncWriteWithoutTransaction { _ in gate.wait() }
        return await withTaskGroup(of: Result<Int, any Error>.self) { group in
            for number in numbers {
                group.addTask {
                    do {
                        return .success(try await insert(number, byteCount: byteCount))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            while line.waitingCount < numbers.count { await Task.yield() }
            gate.signal()
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func `share transactions, and each is answered`() async throws {
        let results = await together(100..<300)
        #expect(try results.map { try $0.get() }.sorted() == Array(100..<300))
        #expect(try kept() == Array(100..<300))
        #expect(commits.count.withLock { $0 } == (200 + WriteLine.groupMax - 1) / WriteLine.groupMax)
    }

    @Test func `are kept when one among them fails, which leaves no trace`() async throws {
        let results = await together(0..<30)
        let failures = results.filter { (try? $0.get()) == nil }
        #expect(failures.count == 1)
        #expect(throws: Refusal.self) { try failures.first?.get() }
        #expect(try kept() == Array(0..<30).filter { $0 != 13 })
    }

    @Test func `are no more together than may be, by their bytes`() async throws {
        let results = await together(100..<110, byteCount: WriteLine.groupByteCountMax)
        #expect(results.allSatisfy { (try? $0.get()) != nil })
        #expect(commits.count.withLock { $0 } == 10)
    }

    @Test func `are turned down at once when too many bytes wait`() async throws {
        await #expect(throws: WriteLine.refusal) {
            try await insert(1, byteCount: WriteLine.waitingByteCountMax + 1)
        }
        #expect(try await insert(2, byteCount: WriteLine.waitingByteCountMax) == 2)
        #expect(try kept() == [2])
    }

    @Test func `fail when the database is closed`() async throws {
        try queue.close()
        await #expect(throws: DatabaseError.self) { try await insert(1) }
    }
}
