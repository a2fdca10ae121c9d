import FileRecords
import FoundationEssentials
import KairanClient
import TestSupport

@testable import Mounting

/// Records for tests of a mount.
enum SomeRecords {
    /// A record with these fields.
    static func record(
        _ name: String,
        type: String = "Photo",
        _ fields: NameDictionary<RecordValue> = [:],
        isDeleted: Bool = false,
        conflicts: Int = 0
    ) -> Record {
        Record(
            zone: "z",
            name: name,
            type: type,
            fields: fields,
            version: "v",
            isDeleted: isDeleted,
            createdBy: "d1",
            modifiedBy: "d2",
            modifiedAt: Date(timeIntervalSince1970: 100),
            conflicts: conflicts
        )
    }

    /// A record that describes a file.
    static func file(
        _ path: String,
        asset: String = "a1",
        size: UInt64 = 10,
        isExecutable: Bool = false,
        modified: Double = 200
    ) -> Record {
        var fields: NameDictionary<RecordValue> = [
            "path": .string(path), "content": self.asset(asset, size: size, modified: modified),
        ]
        if isExecutable { fields["executable"] = .bool(true) }
        return record(path, type: "File", fields)
    }

    /// The value of a field that is an asset.
    static func asset(_ id: String, size: UInt64 = 10, name: String? = nil, modified: Double? = nil) -> RecordValue {
        .asset(
            AssetDescription(
                asset: id,
                size: size,
                name: name,
                modifiedAt: modified.map { Date(timeIntervalSince1970: $0) }
            )
        )
    }

    /// A file or a folder as a walk through a tree finds it.
    enum Found: Hashable {
        case folder
        case file(MountedFile)
    }

    /// Everything in a tree, by its path.
    static func walk(_ tree: MountTree, _ folder: NodeID = .root, at path: String = "") -> [Name: Found] {
        var found: [Name: Found] = [:]
        for entry in tree.entries(of: folder) ?? [] {
            let place = path + entry.name
            if let file = tree.file(entry.id) {
                found[Name(place)] = .file(file)
            } else {
                found[Name(place)] = .folder
                found.merge(walk(tree, entry.id, at: place + "/")) { first, _ in first }
            }
        }
        return found
    }

    /// The rule of names, by all claims at once and without any state.
    static func expected(_ claims: [FileClaim]) -> [Name: Found] {
        var found: [Name: Found] = [:]
        func path(_ parts: some Collection<String>) -> Name { Name(parts.joined(separator: "/")) }
        for claim in claims {
            for count in claim.path.parts.indices.dropFirst() { found[path(claim.path.parts.prefix(count))] = .folder }
        }
        var losers: [FileClaim] = []
        for (name, ofName) in Dictionary(grouping: claims, by: { Name($0.path.text) }) {
            let sorted = ofName.sorted { $0.rank < $1.rank }
            guard found[name] == nil, let first = sorted.first else {
                losers += sorted
                continue
            }
            found[name] = .file(first.file)
            losers += sorted.dropFirst()
        }
        let others = Dictionary(grouping: losers) { path($0.path.parts.dropLast() + [$0.otherName]) }
        for (name, ofName) in others where found[name] == nil {
            guard let first = ofName.min(by: { $0.rank < $1.rank }) else { continue }
            found[name] = .file(first.file)
        }
        return found
    }
}

/// Random changes of a few records whose names are in each other's way.
struct RecordChanges {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// A number below a limit.
    mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

    /// One of several things.
    mutating func one<Thing>(of things: [Thing]) -> Thing { things[number(below: things.count)] }

    /// Another state of a record.
    mutating func record() -> Record {
        let names = ["a", "b", "a/b", "a/b/c", "a/c", "b/a.txt", "/a", "a//b"]
        switch number(below: 10) {
        case 0, 1: return SomeRecords.record(one(of: names), isDeleted: true)
        case 2: return SomeRecords.record(one(of: names))
        case 3, 4, 5: return SomeRecords.file(one(of: Array(names.prefix(6))), asset: id(), size: size())
        default:
            let fields = ["f", "g"].map { field -> (key: String, value: RecordValue) in
                switch number(below: 3) {
                case 0: (field, asset())
                case 1: (field, .list([asset(), .integer(1), .set([asset()])]))
                default: (field, .string("no asset"))
                }
            }
            return SomeRecords.record(one(of: names), NameDictionary(fields))
        }
    }

    private mutating func id() -> String { one(of: ["a1", "a2", "a3"]) }

    private mutating func size() -> UInt64 { UInt64(number(below: 3)) }

    private mutating func asset() -> RecordValue {
        // Among them the other names of some claims.
        let others = FileClaim.someOtherNames
        let name = one(of: ["a", "b", "c", nil] + others.map { Optional($0) })
        return SomeRecords.asset(id(), size: size(), name: name, modified: Double(number(below: 2)))
    }
}

extension FileClaim {
    /// Names that some of the random claims ask for when they do not get their own.
    fileprivate static let someOtherNames: [String] = ["a1", "a2"].flatMap { id in
        RecordFiles(SomeRecords.record("a", ["f": SomeRecords.asset(id, name: "b")])).claims.map(\.otherName)
    }
}
