internal import FileRecords
internal import KairanInterface

/// The files that one record asks to be shown.
///
/// A record that describes a file (`docs/protocol/files.md`) is that file, at its path. Any other record is a folder of its name with its
/// assets in it.
struct RecordFiles: Sendable, Hashable {
    /// The name of the record.
    let record: Name
    /// Its files, none for a deleted record and for one without assets.
    let claims: [FileClaim]
    /// The number of its files that are not shown, since their paths have too many parts.
    let deepCount: Int
    /// The file that it describes, and the version in which it does; `nil` for any other record.
    let source: FileSource?

    /// Whether it has no files.
    var isEmpty: Bool { claims.isEmpty && deepCount == 0 }

    /// Describes a record without files.
    init(without record: String) {
        self.record = Name(record)
        (claims, deepCount) = ([], 0)
        source = nil
    }

    /// Reads a record.
    init(_ record: Record) {
        self.record = Name(record.name)
        guard !record.isDeleted else {
            (claims, deepCount) = ([], 0)
            source = nil
            return
        }
        guard !record.type.isSameName(as: FileRecord.type) else {
            let file = FileRecord(record)
            let all = file.map { [Self.claim(of: $0, record)] } ?? []
            claims = all.filter(\.path.isShown)
            deepCount = all.count - claims.count
            source = file.map { FileSource(file: $0, version: record.version, conflictCount: record.conflicts) }
            return
        }
        source = nil
        let folder = Self.folder(of: record.name)
        let all: [FileClaim] = record.fields.flatMap { field in
            field.value.assets.compactMap { item, asset in
                let name = Self.name(of: asset, in: field.key, item: item)
                guard let path = FilePath(name, in: folder) else { return nil }
                let place = FilePlace(record: Name(record.name), field: Name(field.key), item: item)
                return FileClaim(path, isFile: false, MountedFile(asset, at: place, of: record))
            }
        }
        claims = all.filter(\.path.isShown)
        deepCount = all.count - claims.count
    }

    private static func claim(of file: FileRecord, _ record: Record) -> FileClaim {
        let place = FilePlace(record: Name(record.name), field: Name(FileRecord.Field.content), item: nil)
        return FileClaim(file.path, isFile: true, MountedFile(file.content, at: place, of: record, file: file))
    }

    /// The folder of a record's assets: its name as a path, or where that is none, such as `/a` or `a//b`, with `_` for each slash.
    private static func folder(of record: String) -> FilePath? {
        FilePath(record) ?? FilePath(withoutSlashes(record))
    }

    /// The name of an asset: the stated one, else that of the field, with the index where it is one of several.
    private static func name(of asset: AssetDescription, in field: String, item: Int?) -> String {
        if let name = asset.name, isPart(name) { return name }
        let ending = item.map { "-\($0)" } ?? ""
        let room = FilePath.partByteCountMax - ending.utf8.count
        let name = withoutSlashes(field).limited(toByteCount: room) + ending
        return isPart(name) ? name : "_" + ending
    }

    private static func isPart(_ name: String) -> Bool {
        !name.utf8.contains(UInt8(ascii: "/")) && FilePath(name) != nil
    }

    private static func withoutSlashes(_ text: String) -> String {
        let bytes = text.utf8.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension RecordValue {
    /// The assets in the value, each with its index in a list or a set; `nil` where the value itself is one.
    ///
    /// The elements of a list in the list are counted in its place.
    var assets: [(item: Int?, asset: AssetDescription)] {
        if case .asset(let asset) = self { return [(item: nil, asset: asset)] }
        var found: [(item: Int?, asset: AssetDescription)] = []
        for (index, leaf) in leaves.enumerated() {
            if case .asset(let asset) = leaf { found.append((item: index, asset: asset)) }
        }
        return found
    }

    private var leaves: [RecordValue] {
        switch self {
        case .list(let elements), .set(let elements): elements.flatMap(\.leaves)
        default: [self]
        }
    }
}
