import FileRecords
import FoundationEssentials
import KairanInterface

@testable import Folders

// The effects of the model: those of the driver, on a folder and a zone in memory.
extension ModelDevice {
    func perform(_ decision: FolderDecision) -> FolderOutcome {
        if world.chance(world.failurePercent) { return .failed(FolderFailure("by chance", isTemporary: true)) }
        let path = decision.path
        let present = files[path]
        switch decision {
        case .hash(_, let expected):
            guard let present, present.identity == expected else { return .stale(present?.identity) }
            return .hashed(digest(present.content))
        case .upload(_, let expected, _):
            guard let present, present.identity == expected else { return .stale(present?.identity) }
            let asset = "asset\(world.newID())"
            world.contents[asset] = present.content
            return .uploaded(asset: asset)
        case .write(let file, let version): return save([ZoneFile(file: file, version: version)])
        case .split(_, let files): return save(files)
        case .download(let file, let expectation): return download(file, expectation, present)
        case .mark(_, let isExecutable, let expected):
            guard present?.identity == expected else { return .stale(present?.identity) }
            files[path]?.identity.isExecutable = isExecutable
            return renamed(path, to: path)
        case .trash(_, let expected):
            guard let present, present.identity == expected else { return .stale(present?.identity) }
            trash.insert(present.content)
            files[path] = nil
            return .gone
        case .deleteRecord(_, let version):
            if let present { return .stale(present.identity) }
            let record = replica.record(path)
            guard !record.isDeleted else { return .gone }
            guard record.version == version else { return .mismatch(record) }
            write(path, nil)
            return .gone
        case .keepBoth(_, let expected, let kept):
            guard present?.identity == expected else { return .stale(present?.identity) }
            return files[kept] == nil ? renamed(path, to: kept) : .taken
        case .inspect(let file): return .hashed(digest(world.contents[file.content.asset] ?? ""))
        case .look:
            let record = replica.record(path)
            return .looked(record.isDeleted ? nil : record, replica.siblings(path))
        case .ask:
            let record = replica.record(path)
            return .asked(record.isDeleted ? nil : record, wasDeleted: replica.isKnown(path))
        }
    }

    private func download(
        _ file: FileRecord,
        _ expectation: LocalExpectation,
        _ present: File?
    ) -> FolderOutcome {
        guard present?.identity == expectation.file else { return .stale(present?.identity) }
        if case .unsavedFile = expectation, let present { trash.insert(present.content) }
        let content = world.contents[file.content.asset] ?? ""
        var identity = newIdentity(content)
        identity.modified = (file.content.modifiedAt?.roundedMilliseconds ?? 0) * 1_000_000
        identity.isExecutable = file.isExecutable
        files[file.path] = File(content: content, identity: identity)
        return .placed(identity, digest(content))
    }

    private func renamed(_ path: FilePath, to new: FilePath) -> FolderOutcome {
        guard var file = files.removeValue(forKey: path) else { return .stale(nil) }
        file.identity.changed = Int64(world.newID())
        files[new] = file
        return .changed(file.identity)
    }

    /// Makes writes, all or none.
    private func save(_ writes: [ZoneFile]) -> FolderOutcome {
        for write in writes {
            let record = replica.record(write.file.path)
            guard (record.isDeleted ? "" : record.version) == write.version else {
                return .mismatch(record.isDeleted ? nil : record)
            }
        }
        for file in writes { write(file.file.path, file.file) }
        return .written(writes.map { replica.record($0.file.path) })
    }

    private func write(_ path: FilePath, _ file: FileRecord?) {
        let id = world.newID()
        replica.write(path, file, id: id, by: name, time: id)
        tell(path)
    }
}
