import Sync
import Testing

@Suite("A disk that fails")
struct FaultTests {
    /// The fault that is injected, how often, and the errors by which the store may report it.
    struct Kind: Sendable, CustomTestStringConvertible {
        var name: String
        var kinds: FaultyDisk.Kinds
        var times: UInt64
        var fault: FaultyDisk.Fault
        var codes: Set<StorageError.Code>

        var testDescription: String { name }
    }

    static let kinds = [
        Kind(name: "an I/O error once", kinds: .all, times: 1, fault: .inputOutput, codes: [.inputOutput]),
        Kind(
            name: "I/O errors from then on",
            kinds: [.write, .sync, .truncate, .delete],
            times: .max,
            fault: .inputOutput,
            codes: [.inputOutput]
        ),
        Kind(
            name: "no space from then on",
            kinds: [.write, .shared],
            times: .max,
            fault: .full,
            codes: [.diskFull, .inputOutput]
        ),
        Kind(name: "a sync that loses its data", kinds: .sync, times: 1, fault: .forget, codes: [.inputOutput]),
    ]

    @Test(arguments: kinds)
    func `at any operation refuses clearly, keeps serving, and recovers afterwards`(kind: Kind) async throws {
        let start = ContinuousClock.now
        var number = Volume.place ?? 0
        var refusalCount = 0
        do {
            while try await run(kind, at: number, &refusalCount), Volume.place == nil {
                number += Volume.isFull ? 1 : 7
            }
        } catch {
            Issue.record(Volume.report("\(kind.name): \(error)", place: number, suite: Self.self))
        }
        Volume.note("\(kind.name): \(number) operations, \(refusalCount) refusals", since: start)
    }

    /// Runs the small workload with one failure in it.
    /// - Returns: Whether the failure came.
    private func run(_ kind: Kind, at number: UInt64, _ refusalCount: inout Int) async throws -> Bool {
        var machine = try Machine(pageByteCount: 4_096, frameCount: 25)
        machine.disk.fail(kind.kinds, after: number, times: kind.times, with: kind.fault)
        try await start(&machine, kind)
        for action in try SmallWorkload.actions() {
            do {
                _ = try await machine.perform(action)
                continue
            } catch let error as StorageError {
                guard kind.codes.contains(error.code) else { throw Finding("\(action): \(error)") }
                refusalCount += 1
            }
            if machine.store == nil {
                try await start(&machine, kind)
            } else {
                // The failure may last, but only for writing.
                try await machine.serve()
            }
        }
        let hasFailed = machine.disk.failureCount > 0
        machine.disk.clear()
        try await machine.goOn()
        try await machine.check()
        if kind.fault == .forget {
            // The data that the failed sync lost must have been written again.
            try await machine.die()
            try machine.disk.materialise(seed: number, mode: .lose)
        } else {
            _ = try await machine.stop()
        }
        guard try await machine.start() else { throw Finding("it does not start") }
        try await machine.check()
        _ = try await machine.stop()
        return hasFailed
    }

    /// Starts, if need be after the failure is over.
    private func start(_ machine: inout Machine, _ kind: Kind) async throws {
        do {
            _ = try await machine.start()
        } catch let error as StorageError {
            guard kind.codes.contains(error.code) else { throw Finding("start: \(error)") }
            machine.disk.clear()
            guard try await machine.start() else { throw Finding("it does not start") }
        }
        // A commit that was refused may be there after a new start, but wholly.
        try await machine.check()
    }
}
