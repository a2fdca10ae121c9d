import FileRecords
import FoundationEssentials
import KairanInterface

@testable import Folders

/// A core with a folder and a zone that a test describes.
struct CoreBench {
    var core: FolderCore
    var now: Int64 = 1_000_000
    var files: [FilePath: FileIdentity] = [:]
    private var lastNumber: UInt64 = 0

    init(bases: [FilePath: FolderBase] = [:], rules: IgnoreRules = .none, confirms: Bool = false) {
        let names = ["device-b": "laptop"]
        let settings = FolderCore.Settings(deviceName: "desk", deviceNames: names, confirmsDeletions: confirms)
        core = FolderCore(bases: bases, rules: rules, settings: settings)
    }

    /// A file of the folder as it is from now on.
    @discardableResult
    mutating func put(_ name: String, size: UInt64 = 5, isExecutable: Bool = false) -> FileIdentity {
        lastNumber += 1
        let identity = FileIdentity(
            device: 1,
            inode: lastNumber,
            size: size,
            modified: 1_784_626_200_000_000_000,
            changed: Int64(lastNumber),
            isExecutable: isExecutable
        )
        files[path(name)] = identity
        return identity
    }

    mutating func remove(_ name: String) { files[path(name)] = nil }

    /// The file of the zone whose content has a name; the digest belongs to that.
    static func file(_ name: String, _ content: String, size: UInt64 = 5, states: Bool = true) -> FileRecord {
        FileRecord(
            path: path(name),
            content: AssetDescription(asset: "asset of \(content)", size: size),
            digest: states ? digest(content) : nil
        )
    }

    mutating func receive(_ file: FileRecord, version: String, conflicts: Int = 0) {
        core.received(record(file.path, file, version: version, conflicts: conflicts))
    }

    mutating func receiveDeletion(_ name: String) { core.received(record(path(name), nil, version: "gone")) }

    /// Reads the folder as it is.
    mutating func scan() {
        var folders: Set<FilePath> = []
        for file in files.keys.compactMap(\.folder) + core.allBases.keys.compactMap(\.folder) {
            var next: FilePath? = file
            while let folder = next {
                folders.insert(folder)
                next = folder.folder
            }
        }
        let present = Set(files.keys.compactMap(\.folder))
        var open: [FilePath?] = [nil]
        open += folders.sorted()
        for folder in open {
            var listing = FolderListing(of: folder)
            for (path, identity) in files where path.folder == folder { listing.files[path] = identity }
            listing.folders = folders.filter { below in
                below.folder == folder && present.contains { $0 == below || $0.isBeneath(below) }
            }
            core.listed(listing, at: now)
        }
    }

    /// Reads both sides for the first time.
    mutating func begin() {
        scan()
        core.finishedReading(at: now)
        core.finishedZone()
    }

    /// Decides once all files have settled.
    mutating func decide() -> [FolderDecision] {
        now += FolderCore.settleMilliseconds + 100
        return core.decide(at: now)
    }

    /// Decides, and answers decisions to compute digests by the names of contents.
    mutating func decideWithDigests(_ contents: [String: String]) -> [FolderDecision] {
        var rest = decide()
        while let index = rest.firstIndex(where: { if case .hash = $0 { true } else { false } }) {
            let decision = rest.remove(at: index)
            core.finished(decision, .hashed(digest(contents[decision.path.text] ?? decision.path.text)), at: now)
            rest += core.decide(at: now)
        }
        return rest
    }

    mutating func finish(_ decision: FolderDecision, _ outcome: FolderOutcome) {
        core.finished(decision, outcome, at: now)
    }

    /// A base of a file that is in the folder, with the content of its own name.
    mutating func base(_ name: String, _ content: String? = nil, version: String = "v1") -> FolderBase {
        let content = content ?? name
        return FolderBase(
            digest: digest(content),
            identity: put(name),
            version: version,
            asset: "asset of \(content)",
            isVerified: true,
            isExecutable: false
        )
    }

    /// A bench in which files are in step: each has the content of its own name, and the version `v1`.
    static func inStep(_ names: [String], confirms: Bool = false) -> CoreBench {
        var first = CoreBench()
        let bases = Dictionary(names.map { (path($0), first.base($0)) }) { one, _ in one }
        var bench = CoreBench(bases: bases, confirms: confirms)
        (bench.files, bench.lastNumber) = (first.files, first.lastNumber)
        for name in names { bench.receive(file(name, name), version: "v1") }
        return bench
    }
}

extension FolderDecision {
    /// The file and the expected version of a write.
    var write: (file: FileRecord, version: String)? {
        guard case .write(let file, let version) = self else { return nil }
        return (file, version)
    }

    /// The path that a file is moved aside to.
    var kept: FilePath? {
        guard case .keepBoth(_, _, let kept) = self else { return nil }
        return kept
    }

    /// The records that end a conflict.
    var splitFiles: [ZoneFile]? {
        guard case .split(_, let files) = self else { return nil }
        return files
    }

    /// Whether it is the upload of a path.
    func isUpload(of path: FilePath) -> Bool {
        guard case .upload(path, _, _) = self else { return false }
        return true
    }
}
