import Logging
import Sync
import Records
import Store
import TestSupport
import Wire

/// One machine: a disk, the store on it while it runs, and the contents that must be found there.
struct Machine {
    let scratch: Scratch
    let disk: FaultyDisk
    var settings: StoreSettings
    var store: SQLiteStore?
    /// The acknowledged contents.
    var model = Model()
    /// The contents that may be there instead, because commits were interrupted or refused since the last one that
    /// was acknowledged.
    var pending: [Model] = []

    /// Failures are the point here, so they are not logged.
    static let quiet = Logger(label: "kairan.store") { _ in SwiftLogNoOpLogHandler() }

    /// A machine with an empty disk that is switched off.
    init(pageByteCount: Int, frameCount: Int) throws {
        scratch = try Scratch()
        disk = try FaultyDisk(path: scratch.path)
        disk.watch(scratch.state.cleanMarkerPath)
        settings = Self.settings(pageByteCount: pageByteCount, frameCount: frameCount)
    }

    /// A machine whose disk holds something already.
    init(scratch: Scratch, settings: StoreSettings, model: Model, pending: [Model]) throws {
        self.scratch = scratch
        disk = try FaultyDisk(path: scratch.path)
        disk.watch(scratch.state.cleanMarkerPath)
        self.settings = settings
        self.model = model
        self.pending = pending
    }

    /// Settings with which much happens in a short time.
    static func settings(pageByteCount: Int, frameCount: Int) -> StoreSettings {
        // Quiet or not depends on the moment; the same threshold for both makes a trial repeatable.
        StoreSettings(
            pageByteCount: pageByteCount,
            checkpoints: CheckpointSchedule(
                frameCountWhenQuiet: frameCount,
                frameCountAlways: frameCount,
                byteCountKept: 64 * pageByteCount
            )
        )
    }

    /// Opens the store; a new one counts as acknowledged once it is open.
    /// - Returns: Whether the machine still has power.
    mutating func start() async throws -> Bool {
        try await disk.survives {
            store = try await SQLiteStore.open(scratch.state, settings: settings, logger: Self.quiet)
        }
    }

    /// Carries out one action.
    /// - Returns: Whether the machine still has power, as far as one can see.
    mutating func perform(_ action: Workload.Action) async throws -> Bool {
        guard let store else { throw Finding("the machine does not run") }
        switch action {
        case .commit(let steps):
            return try await commit(steps, in: store)
        case .read:
            return try await disk.survives { try await serve() }
        case .checkpoint:
            return try await disk.survives { try await store.checkpoint() }
        case .reopen:
            self.store = nil
            guard try await disk.survives({ try await store.close() }) else {
                self.store = store
                return false
            }
            return try await start()
        }
    }

    private mutating func commit(_ steps: [Step], in store: SQLiteStore) async throws -> Bool {
        var after = model
        let expected = after.perform(steps)
        pending.append(after)
        return try await disk.survives {
            let results = try await store.commit(steps.map(\.job))
            let outcomes = results.map(Step.Outcome.init)
            guard outcomes == expected else { throw Finding("learnt \(outcomes) instead of \(expected)") }
            // A refused commit is overwritten by the next one, unless that one has nothing to write.
            if try Facts(after) != Facts(model) { pending = [] }
            model = after
            // The log may be moved after the answer; waiting for it makes a trial repeatable. Its success does not
            // matter here.
            _ = try? await store.report()
        }
    }

    /// Closes in order.
    /// - Returns: Whether the machine still has power.
    mutating func stop() async throws -> Bool {
        let store = store
        guard try await disk.survives({ try await store?.close() }) else { return false }
        self.store = nil
        return true
    }

    /// Writes once more, to show that the machine goes on.
    mutating func goOn() async throws {
        if try model.replica.zones().isEmpty { _ = try await perform(.commit([.createZone])) }
        _ = try await perform(SmallWorkload.another)
    }

    /// The process ends without warning, and the power with it.
    mutating func die() async throws {
        disk.kill()
        if let store {
            // It reports that the disk is dead; only the closing of the files matters.
            try? await store.close()
        }
        store = nil
        guard disk.openCount == 0 else { throw Finding("\(disk.openCount) files are still open") }
        // Closing made it, but the process was dead.
        try scratch.setCleanMarker(disk.witnessExisted)
    }

    /// Expects that the acknowledged contents are served, and nothing else.
    func serve() async throws {
        guard let store else { throw Finding("the machine does not run") }
        let found = try await store.read { try Facts($0) }
        let expected = try Facts(model)
        if found != expected { throw Finding("served:\n  " + found.difference(to: expected)) }
    }

    /// Compares the contents with the acknowledged ones.
    mutating func check() async throws {
        guard let store else { throw Finding("the machine does not run") }
        disk.pause()
        defer { disk.resume() }
        let found = try await store.read { transaction in
            let facts = try Facts(transaction)
            try Invariants.check(transaction)
            return facts
        }
        let expected = try Facts(model)
        if found != expected {
            guard let other = try pending.first(where: { try Facts($0) == found }) else {
                let others = try pending.map { "\nnor is it:\n  " + found.difference(to: try Facts($0)) }
                throw Finding("not what was acknowledged:\n  " + found.difference(to: expected) + others.joined())
            }
            model = other
        }
        pending = []
        try IntegrityCheck.run(scratch.state.databasePath)
    }
}

extension FaultyDisk {
    /// Runs a body that may fail if and only if the power goes, and then with a clear error.
    /// - Returns: Whether the power stayed, as far as one can see.
    func survives(_ body: () async throws -> Void) async throws -> Bool {
        do {
            try await body()
            return true
        } catch let error as StorageError {
            guard isDead else { throw error }
            guard error.code == .inputOutput else { throw Finding("a dead disk is reported as \(error)") }
            return false
        }
    }
}
