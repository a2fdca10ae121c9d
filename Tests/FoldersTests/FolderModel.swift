import FileRecords
import FoundationEssentials
import KairanInterface
import TestSupport

@testable import Folders

/// The path of a text that is known to be one.
func path(_ text: String) -> FilePath {
    guard let path = FilePath(text) else { preconditionFailure("\(text) is no path") }
    return path
}

/// A digest that belongs to a content as the real one does.
func digest(_ content: String) -> FileDigest {
    let bytes = Array(content.utf8.prefix(FileDigest.byteCount))
    guard let digest = FileDigest(bytes + Array(repeating: 0, count: FileDigest.byteCount - bytes.count)) else {
        preconditionFailure("a digest has 32 bytes")
    }
    return digest
}

/// A record as the daemon shows it; without a file a deleted one.
func record(_ path: FilePath, _ file: FileRecord?, version: String, conflicts: Int = 0, by: String = "A") -> Record {
    Record(
        zone: "z",
        name: path.recordName,
        type: FileRecord.type,
        fields: file?.write(ifVersion: nil).fields ?? [:],
        version: version,
        isDeleted: file == nil,
        createdBy: by,
        modifiedBy: by,
        modifiedAt: Date(milliseconds: 0),
        conflicts: conflicts
    )
}

/// One device's records of a zone, merged as `docs/protocol/records.md` says: an edit wins over a deletion that it had not seen, and of
/// concurrent edits the latest is shown.
struct ModelReplica {
    struct Operation {
        var id: Int
        /// The operations of the record that its author had seen.
        var seen: Set<Int>
        var file: FileRecord?
        var by: String
        var time: Int
    }

    private(set) var operations: [FilePath: [Int: Operation]] = [:]

    /// The edits that no other operation has seen, the shown one first.
    private func live(_ path: FilePath) -> [Operation] {
        let all = operations[path] ?? [:]
        let seen = all.values.reduce(into: Set<Int>()) { $0.formUnion($1.seen) }
        return all.values.filter { !seen.contains($0.id) && $0.file != nil }.sorted {
            ($0.time, $0.id) > ($1.time, $1.id)
        }
    }

    func isKnown(_ path: FilePath) -> Bool { operations[path]?.isEmpty == false }

    /// The record; a deleted one where it is not there.
    func record(_ path: FilePath) -> Record {
        let live = live(path)
        let files = live.compactMap(\.file)
        let differing = [
            Set(files.map(\.content)).count, Set(files.map(\.digest)).count, Set(files.map(\.isExecutable)).count,
            Set(files.map(\.conflictOf)).count,
        ]
        let ids = (operations[path] ?? [:]).keys.sorted().map { String($0) }
        return FoldersTests.record(
            path,
            live.first?.file,
            version: ids.joined(separator: "."),
            conflicts: differing.count { $0 > 1 },
            by: live.first?.by ?? "A"
        )
    }

    func siblings(_ path: FilePath) -> [Sibling] {
        live(path).map { operation in
            let fields = operation.file?.write(ifVersion: nil).fields ?? [:]
            return Sibling(version: String(operation.id), by: operation.by, fields: fields)
        }
    }

    mutating func write(_ path: FilePath, _ file: FileRecord?, id: Int, by: String, time: Int) {
        let seen = Set((operations[path] ?? [:]).keys)
        operations[path, default: [:]][id] = Operation(id: id, seen: seen, file: file, by: by, time: time)
    }

    /// Takes over the operations about a record that another replica has.
    /// - Returns: Whether the record is another one now.
    mutating func take(_ path: FilePath, from other: ModelReplica) -> Bool {
        let before = record(path)
        operations[path, default: [:]].merge(other.operations[path] ?? [:]) { mine, _ in mine }
        return record(path) != before
    }
}

/// Two devices with a folder each, which write and meet at random, crash between any two steps, and lose their states.
final class ModelWorld {
    var random: SeededGenerator
    var now: Int64 = 1_000_000
    private var lastID = 0
    var contents: [String: String] = [:]
    /// The contents that a user has written, and those that a user who had them in front has replaced or deleted.
    var (written, superseded): (Set<String>, Set<String>) = ([], [])
    var failurePercent: Int
    private(set) var devices: [ModelDevice] = []
    /// The last events, for a failure.
    private(set) var history: [String] = []

    init(seed: UInt64, failurePercent: Int = 5) {
        random = SeededGenerator(seed: seed)
        self.failurePercent = failurePercent
        devices = ["A", "B"].map { ModelDevice($0, self) }
    }

    func newID() -> Int {
        lastID += 1
        return lastID
    }

    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }

    func note(_ event: String) {
        history.append(event)
        if history.count > 60 { history.removeFirst(20) }
    }

    /// Brings operations from one device to the other.
    func meet(_ from: ModelDevice, _ to: ModelDevice, isPartial: Bool) {
        for path in from.replica.operations.keys.sorted() where !isPartial || chance(50) {
            if to.replica.take(path, from: from.replica) { to.tell(path) }
        }
    }
}

/// A device: its folder, its trash, its zone and its core.
final class ModelDevice {
    struct File {
        var content: String
        var identity: FileIdentity
    }

    let name: String
    unowned let world: ModelWorld
    var files: [FilePath: File] = [:]
    var trash: Set<String> = []
    var replica = ModelReplica()
    var core: FolderCore
    /// The bases on the disk, and earlier states of them that a power cut may leave.
    var bases: [FilePath: FolderBase] = [:]
    private var earlier: [[FilePath: FolderBase]] = []
    /// Records on their way through the feed.
    private var feed: [Record] = []
    var open: [FolderDecision] = []
    var answers: [(FolderDecision, FolderOutcome)] = []
    private var hasRead = false

    init(_ name: String, _ world: ModelWorld) {
        (self.name, self.world) = (name, world)
        core = FolderCore(settings: Self.settings(name))
        restart()
    }

    private static func settings(_ name: String, confirms: Bool = false) -> FolderCore.Settings {
        FolderCore.Settings(deviceName: name, deviceNames: ["A": "A", "B": "B"], confirmsDeletions: confirms)
    }

    // MARK: The process

    /// Begins anew with the bases of the disk: decisions that are under way, and answers to others, are lost.
    func restart(confirms: Bool = false) {
        core = FolderCore(bases: bases, settings: Self.settings(name, confirms: confirms))
        (open, answers, feed, hasRead) = ([], [], [], false)
        core.beganZone()
        for path in replica.operations.keys.sorted() { core.received(replica.record(path)) }
        core.finishedZone()
    }

    func crash(losesTail: Bool) {
        if losesTail, !earlier.isEmpty { bases = world.pick(earlier) }
        earlier = []
        restart()
    }

    func loseState() {
        (bases, earlier) = ([:], [])
        restart()
    }

    func loseReplica() {
        replica = ModelReplica()
        restart()
    }

    func tell(_ path: FilePath) { feed.append(replica.record(path)) }

    /// Delivers what the feed has told.
    func deliver(_ count: Int = .max) {
        for record in feed.prefix(count) { core.received(record) }
        feed = Array(feed.dropFirst(count))
    }

    func scan() {
        let folders = Set(files.keys.compactMap(\.folder) + core.allBases.keys.compactMap(\.folder))
        var open: [FilePath?] = [nil]
        open += folders.sorted()
        for folder in open {
            var listing = FolderListing(of: folder)
            for (path, file) in files where path.folder == folder { listing.files[path] = file.identity }
            if folder == nil { listing.folders = Set(files.keys.compactMap(\.folder)) }
            core.listed(listing, at: world.now)
        }
        if !hasRead { core.finishedReading(at: world.now) }
        hasRead = true
    }

    func decide() {
        if !hasRead { scan() }
        let decisions = core.decide(at: world.now)
        if core.halt != nil {
            world.note("\(name) asks about deletions")
            return restart(confirms: true)
        }
        keep(isUrgent: decisions.contains { if case .keepBoth = $0 { true } else { false } })
        for decision in decisions { world.note("\(name) decides \(decision)") }
        open += decisions
    }

    /// Carries out one decision, whose answer comes later.
    func performOne() {
        guard !open.isEmpty else { return }
        let decision = open.remove(at: Int.random(in: open.indices, using: &world.random))
        let outcome = perform(decision)
        world.note("\(name) has done \(decision.path.text): \(outcome)")
        answers.append((decision, outcome))
    }

    func answerOne() {
        guard !answers.isEmpty else { return }
        let (decision, outcome) = answers.remove(at: Int.random(in: answers.indices, using: &world.random))
        core.finished(decision, outcome, at: world.now)
        keep(isUrgent: false)
    }

    private func keep(isUrgent: Bool) {
        let changes = core.takeChanges()
        if !changes.isEmpty { earlier = (earlier + [bases]).suffix(6) }
        for change in changes {
            switch change {
            case .set(let path, let base): bases[path] = base
            case .forget(let path): bases[path] = nil
            }
        }
        if isUrgent { earlier = [] }
    }

    // MARK: The user

    func write(_ path: FilePath, _ content: String) {
        if let present = files[path] { world.superseded.insert(present.content) }
        world.written.insert(content)
        files[path] = File(content: content, identity: newIdentity(content))
        world.note("\(name): the user writes \(content) to \(path.text)")
    }

    func remove(_ path: FilePath) {
        guard let present = files.removeValue(forKey: path) else { return }
        world.superseded.insert(present.content)
        world.note("\(name): the user deletes \(path.text), \(present.content)")
    }

    func move(_ path: FilePath, to new: FilePath) {
        guard path != new, var file = files.removeValue(forKey: path) else { return }
        if let present = files[new] { world.superseded.insert(present.content) }
        file.identity.changed = Int64(world.newID())
        files[new] = file
        world.note("\(name): the user moves \(path.text) to \(new.text), \(file.content)")
    }

    func touch(_ path: FilePath, marks: Bool) {
        files[path]?.identity.changed = Int64(world.newID())
        if marks { files[path]?.identity.isExecutable.toggle() }
    }

    func newIdentity(_ content: String) -> FileIdentity {
        FileIdentity(
            device: 1,
            inode: UInt64(world.newID()),
            size: UInt64(content.utf8.count),
            modified: Int64(world.newID()) * 1_000_000,
            changed: Int64(world.newID())
        )
    }
}
