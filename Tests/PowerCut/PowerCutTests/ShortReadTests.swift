import Store
import Sync
import Testing

/// SQLite takes a page that was read short for one that ends in zeros.
///
/// Where it cannot tell, because pages have no checksums, it answers wrongly as long as it keeps the page, and a
/// commit that builds on it can be wrong as well. No file system reads short but at the end of a file, so this is
/// only about never trapping and about clear errors; the number of times that damage stays unnoticed is counted.
@Suite("A short read")
struct ShortReadTests {
    /// The number of runs by outcome.
    private struct Tally {
        var refusals = 0
        var wrongAnswers = 0
        var noticedDamage = 0
        var unnoticedDamage = 0
    }

    @Test func `at any read is no trap and no unclear error`() async throws {
        let start = ContinuousClock.now
        var number = Volume.place ?? 0
        var tally = Tally()
        do {
            while try await run(at: number, &tally), Volume.place == nil {
                number += Volume.isFull ? 1 : 3
            }
        } catch {
            Issue.record(Volume.report("\(error)", place: number, suite: Self.self))
        }
        #expect(number > 100 || Volume.place != nil)
        Volume.note("\(number) short reads, \(tally)", since: start)
    }

    private func run(at number: UInt64, _ tally: inout Tally) async throws -> Bool {
        var machine = try Machine(pageByteCount: 4_096, frameCount: 25)
        machine.disk.fail(.read, after: number, with: .shortRead)
        try await start(&machine, &tally)
        for action in try SmallWorkload.actions() {
            do {
                _ = try await machine.perform(action)
            } catch let error as StorageError {
                guard [.corrupt, .inputOutput, .misuse].contains(error.code) else { throw error }
                tally.refusals += 1
            } catch is Finding {
                tally.wrongAnswers += 1
            }
            if machine.store == nil { try await start(&machine, &tally) }
            // The answers after the short read are not judged: only the contents acknowledged before.
            guard machine.disk.failureCount == 0 else { break }
        }
        let hasFailed = machine.disk.failureCount > 0
        machine.disk.clear()
        do {
            _ = try await machine.stop()
        } catch let error as StorageError {
            guard error.code == .corrupt else { throw error }
        }
        machine.store = nil
        do {
            guard try await machine.start() else { throw Finding("it does not start") }
            try await machine.check()
            try await machine.goOn()
            _ = try await machine.stop()
        } catch let error as StorageError {
            guard error.code == .corrupt else { throw error }
            tally.noticedDamage += 1
        } catch is Finding {
            // Wrong without an error: only SQLite's own check may still see it.
            let isSound = (try? IntegrityCheck.run(machine.scratch.state.databasePath)) != nil
            if isSound { tally.unnoticedDamage += 1 } else { tally.noticedDamage += 1 }
        }
        return hasFailed
    }

    private func start(_ machine: inout Machine, _ tally: inout Tally) async throws {
        do {
            _ = try await machine.start()
        } catch is StorageError {
            tally.refusals += 1
            _ = try await machine.start()
        }
    }
}
