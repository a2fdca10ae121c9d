import Identity
import Records
import Sodium
import Sync
import Wire

/// Keys, account and store's life of a start, found or made.
struct Beginning {
    let founding: Founding
    /// `nil` = not made yet.
    let storeKey: StoreKey?
    let sentinel: SentinelFile
    let life: IncarnationDecision
    let lack: StartDecision.Lack?
    /// An entry that the account log lacks since it was rolled back: the sentinel continues to name it.
    let missingEntry: Sentinel.NewestEntry?

    /// Reads the facts, decides, and makes the keys and files that the decision requires.
    /// - Throws: ``NodeStartError`` where no start is allowed, `SecretFile.Failure`, `PrivateFile.Failure`.
    init(
        files: IdentityFiles,
        storage: any StoragePort,
        envelopes: (any EnvelopeSealing)?,
        deviceName: String,
        machine: [UInt8],
        clock: NodeClock
    ) async throws {
        let store = try await storage.read { try IncarnationDecision.StoreState($0) }
        let name = SentinelFile(file: files.sentinel, machine: machine, witness: files.deviceKey.file).machine
        let reading = try StateReading(files, store: store, machine: name)
        switch StartDecision.decide(reading.facts) {
        case .refuse(let refusal):
            throw NodeStartError(description: refusal.words(in: files.directory))
        case .found(let life):
            try files.prepare()
            founding = try Founding(
                making: files,
                found: reading,
                envelopes: envelopes,
                deviceName: deviceName,
                clock: clock
            )
            (self.life, lack, missingEntry) = (life, nil, nil)
            try files.recovering.remove()
        case .resume(let life, let lack):
            try files.prepare()
            let found = try Founding(
                of: reading,
                files: files,
                envelopes: envelopes,
                deviceName: deviceName,
                clock: clock
            )
            guard let found else { throw NodeStartError(description: "the keys in \(files.directory) are missing") }
            founding = found
            (self.life, self.lack, missingEntry) = (life, lack, lack == nil ? nil : reading.missingEntry)
            if lack == nil {
                try files.recovering.remove()
            } else if life != .continue {
                // Before the first commit, behind which nothing else shows that something is missing.
                try files.recovering.replace([])
            }
        }
        storeKey = reading.storeKey
        // The keys exist by now, which distinguish this directory from others.
        sentinel = SentinelFile(file: files.sentinel, machine: machine, witness: files.deviceKey.file)
    }

    /// Health warnings about the store's life; `lack` has its own.
    var warnings: [HealthWarning] {
        switch life {
        case .renew where lack == .older: []
        case .renew(let reason): [.storeRenewed(reason)]
        case .recovering where lack == nil: [.storeBegunAnew]
        case .recovering, .continue, .firstStart: []
        }
    }
}

extension StoreLifetime {
    /// Begins the lifetime of a store that was just opened.
    init(
        _ decision: IncarnationDecision,
        sentinel: SentinelFile,
        storage: any StoragePort
    ) async throws {
        self = try await storage.commit { transaction in
            var random = SystemRandom()
            let lifetime = try StoreLifetime.begin(decision, random: &random, in: &transaction)
            switch lifetime.decision {
            case .firstStart, .recovering:
                // Before the commit: a store that is new must not look, after a kill in between, like one that was
                // restored without its sentinel. Commit 0 is behind any store's.
                try sentinel.write(commitNumber: 0, incarnation: lifetime.incarnation)
            case .continue, .renew: break
            }
            return lifetime
        }
    }
}
