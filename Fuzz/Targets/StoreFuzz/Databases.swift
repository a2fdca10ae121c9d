import Dispatch
import FuzzKit
import Glibc
import Identity
import Logging
import Node
import Records
import Sodium
import Store
import Sync
import Synchronization
import TestSupport
import Wire

/// A database file that was changed outside.
///
/// A program patches, cuts and doubles parts of a real one, which is opened, read from end to end, and written to. Slow,
/// since it is real SQLite on real files.
///
/// Law: an error or an answer, never a trap.
let databaseTarget = FuzzTarget(
    "database",
    inputByteCountMax: 64,
    secondsMax: 10,
    run: { bytes in
        var input = FuzzInput(bytes)
        // The most expensive checks run for a part of the inputs only: the same files come again in other inputs.
        let choice = Choice(isVerified: input.below(8) == 7, sum: bytes.reduce(0, ^))
        var file = patched(DatabaseFixture.template, &input)
        if !choice.isMigrated { keepFormat(&file) }
        DatabaseFixture.write(file)
        waitFor { await use(choice) }
    },
    seeds: {
        var generator = SeededGenerator(seed: 22)
        return (0..<60).map { _ in [0] + generator.bytes(4 + Int(generator.next() % 60)) } + [[7], [0]]
    }
)

/// The checks that an input makes with its file.
private struct Choice {
    /// Whether the store looks at each page when it is opened.
    var isVerified: Bool
    /// Decides the rest.
    var sum: UInt8

    /// Whether a file that claims to be empty or of an earlier format is believed: all migrations cost as much as ten
    /// executions, and do the same each time.
    var isMigrated: Bool { sum & 7 == 1 }
    /// Whether each page is looked at later.
    var isChecked: Bool { sum & 7 == 0 }
    /// Whether all is read.
    var isRead: Bool { sum & 16 == 0 || isWritten == false }
    /// Whether something is written.
    var isWritten: Bool { sum & 32 == 0 }
}

/// Runs something asynchronous to its end: libFuzzer's callback is a plain function.
private func waitFor(_ body: @escaping @Sendable () async -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task {
        await body()
        done.signal()
    }
    done.wait()
}

private func patched(_ template: [UInt8], _ input: inout FuzzInput) -> [UInt8] {
    var file = template
    let page = DatabaseFixture.settings.pageByteCount
    while !input.isEmpty, !file.isEmpty {
        let place = (Int(input.byte()) << 16 | Int(input.byte()) << 8 | Int(input.byte())) % file.count
        switch input.below(8) {
        case 0, 1, 2: file[place] = input.byte()
        case 3: file[place] ^= 1 << (input.byte() & 7)
        case 4:
            // The beginnings of pages steer the most.
            file[min(place / page * page + input.below(12), file.count - 1)] = input.byte()
        case 5:
            for (offset, byte) in input.bytes(input.below(9)).enumerated() where place + offset < file.count {
                file[place + offset] = byte
            }
        case 6:
            let source = input.below(file.count / page + 1) * page
            let target = place / page * page
            for offset in 0..<page where source + offset < file.count && target + offset < file.count {
                file[target + offset] = file[source + offset]
            }
        default: if input.below(4) == 3 { file.removeSubrange(place...) }
        }
    }
    return file
}

/// Lets a file claim the application and format of the template.
private func keepFormat(_ file: inout [UInt8]) {
    let template = DatabaseFixture.template
    for place in Array(60..<64) + Array(68..<72) where place < file.count { file[place] = template[place] }
    if file.isEmpty { file = Array(template.prefix(DatabaseFixture.settings.pageByteCount)) }
}

private func use(_ choice: Choice) async {
    var settings = DatabaseFixture.settings
    settings.verification = choice.isVerified ? .always : .never
    do {
        let store = try await SQLiteStore.open(
            DatabaseFixture.state,
            settings: settings,
            logger: DatabaseFixture.logger
        )
        if choice.isChecked { _ = try await store.quickCheck() }
        if choice.isRead { await readEverything(store) }
        if choice.isWritten { await writeSomething(store) }
        try await store.close()
    } catch {
        demand(error is StorageError, "a store throws its own errors: \(error)")
    }
}

/// Reads all rows, in one snapshot: a transaction of its own for each costs more than all that is read in it.
private func readEverything(_ store: SQLiteStore) async {
    do {
        try await store.read { transaction throws in
            attempt { _ = try transaction.changes(zone: nil, after: 0, limit: 1_000) }
            attempt { _ = try transaction.conflictedRecords(zone: nil, limit: 1_000) }
            attempt {
                _ = (try transaction.feedIdentity(), try transaction.newestPosition())
                _ = (try transaction.clock(), try transaction.incarnation())
            }
            attempt {
                _ = (try transaction.accountEntries(), try transaction.peers(), try transaction.value(named: "a"))
            }
            attempt {
                for zone in try transaction.zones() {
                    _ = try transaction.records(zone: zone.id, after: nil, limit: 1_000)
                    _ = try transaction.summaries(zone: zone.id, after: nil, limit: 1_000)
                    _ = try transaction.recordCount(zone: zone.id)
                    _ = try transaction.acknowledgements(zone: zone.id)
                }
            }
            attempt {
                for zone in try transaction.zones() {
                    for log in try transaction.logs(zone: zone.id) {
                        _ = try transaction.heads(log.key, above: 0, limit: 1_000)
                        _ = try transaction.items(log.key, from: 0, to: log.size)
                        _ = try RunServing(log.key).run(from: 0, byteCount: 1 << 16, in: transaction)
                    }
                    _ = try ZonePositions(of: zone.id).digest(in: transaction)
                }
            }
        }
    } catch {
        demand(error is StorageError, "a store throws its own errors: \(error)")
    }
}

/// Tries one thing; damage elsewhere does not keep the rest from being tried.
private func attempt(_ body: () throws -> Void) {
    do {
        try body()
    } catch {
        demand(isOwn(error), "a store throws its own errors: \(error)")
    }
}

private func isOwn(_ error: any Error) -> Bool {
    error is StorageError || error is ReplicaError
}

private func writeSomething(_ store: SQLiteStore) async {
    do {
        try await store.commit { transaction in
            try DatabaseFixture.commit(["a", "new"], in: &transaction)
        }
    } catch {
        demand(isOwn(error), "a store throws its own errors: \(error)")
    }
}

/// A real database in a folder of this process.
private enum DatabaseFixture {
    static let state = StateDirectory(path: "/dev/shm/kairan-fuzz-\(getpid())")
    static let logger = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }
    /// Small pages make a small file, of which a changed byte means something more often.
    static let settings: StoreSettings = {
        var settings = StoreSettings()
        settings.pageByteCount = 1_024
        settings.readerCountMax = 1
        return settings
    }()
    static let genesis = ZoneGenesis(
        owner: .zero,
        container: "org.example",
        name: "default",
        salt: [UInt8](repeating: 7, count: ZoneGenesis.saltByteCount),
        history: .full,
        isDefault: true
    )
    static let key: SigningKey = always("a key") { try SigningKey(seed: [UInt8](repeating: 1, count: 32)) }
    static let author: Author = {
        let device = DeviceID(key.publicKey)
        let incarnation = known("an incarnation", Incarnation([UInt8](repeating: 3, count: 16)))
        return Author(
            device: device,
            incarnation: incarnation,
            right: .zero,
            actor: ActorID(device: device, incarnation: incarnation, right: .zero)
        )
    }()

    static let template: [UInt8] = {
        atexit { DatabaseFixture.clean() }
        waitFor {
            do {
                let store = try await SQLiteStore.open(state, settings: settings, logger: logger)
                try await store.commit { transaction in
                    try fill(&transaction)
                }
                try await store.close()
            } catch {
                preconditionFailure("a template: \(error)")
            }
        }
        return read()
    }()

    private static func fill(_ transaction: inout any NodeTransaction) throws {
        let tagKey = [UInt8](repeating: 0x5A, count: 32)
        try transaction.createZone(ZoneID(genesis), genesis: genesis, tagKey: tagKey)
        for round in 0..<4 { try commit(["a", "b", "c\(round)", "d"], in: &transaction) }
        try transaction.appendAccountEntries([[1, 2, 3]])
        try transaction.save(PeerRow(device: author.device, addresses: ["host:1"], lastSeenMilliseconds: 5))
        let log = LogKey(zone: ZoneID(genesis), actor: author.actor, lane: .data)
        try transaction.save([AcknowledgementRow(device: author.device, key: log, size: 1)])
        try transaction.setValue([1], named: "a")
    }

    static func commit(_ names: [String], in transaction: inout any NodeTransaction) throws {
        let writes = names.map { name in
            RecordWrite(name: name, type: "t", set: [.init(field: "f", value: .string("value of \(name)"))])
        }
        _ = try LocalWrites(
            zone: ZoneID(genesis),
            author: author,
            wallMilliseconds: 2_000,
            sign: { Signature64(key.signature(over: $0, context: .treeHead)) }
        ).commit([WriteRequest(writes)], in: &transaction)
    }

    static func write(_ bytes: [UInt8]) {
        for suffix in ["-wal", "-shm"] { unlink(state.databasePath + suffix) }
        guard let file = fopen(state.databasePath, "w") else { preconditionFailure("a file") }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    private static func read() -> [UInt8] {
        guard let file = fopen(state.databasePath, "r") else { preconditionFailure("a file") }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        fclose(file)
        return Array(bytes.prefix(count))
    }

    private static func clean() {
        for suffix in ["", "-wal", "-shm"] { unlink(state.databasePath + suffix) }
        unlink(state.cleanMarkerPath)
        unlink(state.lockPath)
        rmdir(state.payloadsPath)
        rmdir(state.storePath)
        rmdir(state.path)
    }
}
