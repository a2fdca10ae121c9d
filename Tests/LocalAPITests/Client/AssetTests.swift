import FoundationEssentials
import Glibc
import Synchronization
import Testing

@testable import KairanClient

private struct Photo: RecordContent, Equatable {
    var title: String
    var picture: AssetDescription?
    var others: [AssetDescription] = []
}

@Suite(.timeLimit(.minutes(5))) struct `Assets through the library` {
    private static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) } }

    /// Runs an application with a zone and a folder of its own.
    private static func run(
        _ backend: Backend,
        _ body: @escaping @Sendable (RecordZone, URL) async throws -> Void
    ) async throws {
        try await backend.run { kairan in
            let container = kairan.container("org.example.photos")
            let zone = try await container.privateDatabase.zone(named: "photos", creating: true)
            try await LiveServer.withDirectory { try await body(zone, URL(filePath: $0)) }
        }
    }

    private static func collect(_ content: AssetContent) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await piece in content { bytes += piece }
        return bytes
    }

    @Test(arguments: Backend.allCases)
    func `of a file are named by a record, listed, and read as a whole or in part`(backend: Backend) async throws {
        try await Self.run(backend) { zone, folder in
            let bytes = Self.bytes(700_000)
            let file = folder.appending(path: "a lake.jpg")
            try Data(bytes).write(to: file)
            let told = Mutex<[TransferProgress]>([])
            let picture = try await zone.upload(
                fileURL: file,
                mediaType: "image/jpeg",
                thumbnail: Data([1, 2]),
                progress: { progress in told.withLock { $0.append(progress) } }
            )
            #expect(picture.size == 700_000 && picture.name == "a lake.jpg" && picture.modifiedAt != nil)
            #expect(told.withLock { $0.last } == TransferProgress(byteCount: 700_000, total: 700_000))

            let saved = try await zone.save(TypedRecord("lake", Photo(title: "The lake", picture: picture)))
            #expect(saved.value.picture == picture)
            let asset = try await zone.asset("picture", of: "lake")
            #expect(asset.asset == picture.asset && asset.zone == zone.id && asset.item == nil)
            #expect(asset.state == .present && asset.percent == 100 && asset.size == 700_000)
            #expect(asset.mediaType == "image/jpeg" && asset.name == "a lake.jpg")
            #expect(asset.modifiedAt == picture.modifiedAt)

            let content = try await zone.content("picture", of: "lake")
            #expect(content.count == 700_000 && content.offset == 0)
            #expect(try await Self.collect(content) == bytes)
            let place = zone.assetPlace("picture", of: "lake")
            let part = try await zone.client.assets.content(of: place, from: 65_530, count: 20)
            #expect(part.offset == 65_530 && part.asset.size == 700_000)
            #expect(try await Self.collect(part) == Array(bytes[65_530..<65_550]))
            let rest = try await zone.client.assets.content(of: place, from: 699_999)
            #expect(try await Self.collect(rest) == [bytes[699_999]])
            let beyond = await #expect(throws: KairanError.self) {
                try await zone.client.assets.content(of: place, from: 700_000)
            }
            #expect(beyond?.code == "request.range_unsatisfiable")
        }
    }

    @Test(arguments: Backend.allCases) func `in lists are named one by one`(backend: Backend) async throws {
        try await Self.run(backend) { zone, _ in
            var others: [AssetDescription] = []
            for number in 0..<3 { others.append(try await zone.upload(Data([UInt8(number)]), name: "\(number)")) }
            let first = try await zone.upload(Data("first".utf8))
            try await zone.save(TypedRecord("b", Photo(title: "b", picture: first, others: others)))
            try await zone.save(TypedRecord("a", Photo(title: "a")))
            var listed: [String] = []
            for try await asset in zone.assets() {
                listed.append(
                    "\(asset.record) \(asset.field) \(asset.item.map { "\($0)" } ?? "-") \(asset.name ?? "-")"
                )
            }
            #expect(listed.sorted() == ["b others 0 0", "b others 1 1", "b others 2 2", "b picture - -"])
            #expect(try await Self.collect(zone.content("others", of: "b", item: 2)) == [2])
            var found: [Asset] = []
            var cursor: String?
            repeat {
                let page = try await zone.client.assets.page(in: zone.id, after: cursor, limit: 1)
                found += page.assets
                cursor = page.cursor
            } while cursor != nil
            #expect(found.count == 4 && Set(found).count == 4)
            for (field, item) in [("others", 3), ("others", nil), ("title", nil)] as [(String, Int?)] {
                let error = await #expect(throws: KairanError.self) { try await zone.asset(field, of: "b", item: item) }
                #expect(error?.code == "asset.unknown", "\(field)")
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `of another zone, and of nobody, cannot be named`(backend: Backend) async throws {
        try await backend.run { kairan in
            let database = kairan.container("org.example.photos").privateDatabase
            let mine = try await database.createZone(named: "mine")
            let other = try await database.createZone(named: "other")
            let picture = try await other.upload(Data("other".utf8))
            let made = AssetDescription(asset: String(repeating: "a", count: 52))
            for wrong in [picture, made] {
                let error = await #expect(throws: KairanError.self) {
                    try await mine.save(TypedRecord("n", Photo(title: "n", picture: wrong)))
                }
                #expect(error?.code == "asset.unknown")
            }
            // Once a record of the zone names it, another one may.
            try await other.save(TypedRecord("n", Photo(title: "n", picture: picture)))
            try await other.save(TypedRecord("m", Photo(title: "m", picture: AssetDescription(asset: picture.asset))))
            #expect(try await other.asset("picture", of: "m").size == 5)
        }
    }

    @Test(arguments: Backend.allCases) func `are downloaded into a file, as a whole or not at all`(
        backend: Backend
    ) async throws {
        try await Self.run(backend) { zone, folder in
            let bytes = Self.bytes(300_000)
            let pieces = AsyncStream<[UInt8]> { continuation in
                for start in stride(from: 0, to: bytes.count, by: 100_000) {
                    continuation.yield(Array(bytes[start..<start + 100_000]))
                }
                continuation.finish()
            }
            let uploaded = try await zone.client.assets.upload(pieces, size: 300_000, in: zone.id)
            #expect(uploaded.size == 300_000 && uploaded.zone == zone.id)
            let picture = AssetDescription(asset: uploaded.asset)
            try await zone.save(TypedRecord("lake", Photo(title: "The lake", picture: picture)))
            let file = folder.appending(path: "lake")
            try Data("before".utf8).write(to: file)
            let told = Mutex<UInt64>(0)
            let asset = try await zone.download("picture", of: "lake", to: file) { progress in
                told.withLock { $0 = progress.byteCount }
            }
            #expect(asset.asset == uploaded.asset && told.withLock { $0 } == 300_000)
            #expect(try Data(contentsOf: file) == Data(bytes))
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path())
            #expect(names.filter { $0.hasPrefix("lake") } == ["lake"])

            let before = try FileManager.default.contentsOfDirectory(atPath: folder.path()).count
            for wrong in [folder.appending(path: "none/lake"), folder] {
                let error = await #expect(throws: KairanError.self) {
                    try await zone.download("picture", of: "lake", to: wrong)
                }
                #expect(error?.code == "file.unwritable" && error?.kind == .file)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()).count == before)
        }
    }

    @Test func `of files that cannot be read are refused before anything is sent`() async throws {
        try await Self.run(.memory) { zone, folder in
            for (path, text) in [("none", "No such file"), ("", "not a regular file")] {
                let file = path.isEmpty ? folder : folder.appending(path: path)
                let error = await #expect(throws: KairanError.self) { try await zone.upload(fileURL: file) }
                #expect(error?.code == "file.unreadable" && error?.problem.detail.contains(text) == true)
            }
            let file = folder.appending(path: "growing")
            try Data("small".utf8).write(to: file)
            let error = await #expect(throws: KairanError.self) {
                try await zone.upload(fileURL: file) { _ in
                    // Another program writes on.
                    guard let stream = fopen(file.path(percentEncoded: false), "a") else { return }
                    fputs("more", stream)
                    fclose(stream)
                }
            }
            #expect(error?.code == "file.changed")

            let other = folder.appending(path: "rewritten")
            let path = other.path(percentEncoded: false)
            try Data(Self.bytes(300_000)).write(to: other)
            let before = Date(timeIntervalSince1970: 1_000_000_000)
            try FileManager.default.setAttributes([.modificationDate: before], ofItemAtPath: path)
            let rewritten = await #expect(throws: KairanError.self) {
                try await zone.upload(fileURL: other) { _ in
                    // Another program writes a byte in its place.
                    guard let stream = fopen(path, "r+") else { return }
                    fputs("x", stream)
                    fclose(stream)
                }
            }
            #expect(rewritten?.code == "file.changed")
            for try await asset in zone.assets() { Issue.record("\(asset)") }
        }
    }

    @Test(arguments: Backend.allCases) func `are fetched by a policy that is the device's own`(
        backend: Backend
    ) async throws {
        try await Self.run(backend) { zone, _ in
            #expect(try await zone.assetPolicy() == AssetPolicySetting(policy: .always, isDefault: true))
            let limited = try await zone.setAssetPolicy(.upTo(5_000_000))
            #expect(limited == AssetPolicySetting(policy: .upTo, upTo: 5_000_000, isDefault: false))
            for (policy, word) in [(.never, .never), (.onDemand, .onDemand), (.always, .always)]
                as [(AssetClient.Policy, AssetPolicySetting.Policy)]
            {
                let setting = try await zone.setAssetPolicy(policy)
                #expect(setting == AssetPolicySetting(policy: word, isDefault: false))
                #expect(try await zone.assetPolicy() == setting)
            }
            #expect(try await zone.setAssetPolicy(nil).isDefault)
            #expect(try await zone.setAssetsKeptAtRelays(false).isKeptAtRelays == false)
            // It is a setting of its own.
            #expect(try await zone.setAssetPolicy(.never).isKeptAtRelays == false)
            #expect(try await zone.setAssetPolicy(nil).isKeptAtRelays == false)
            #expect(try await zone.setAssetsKeptAtRelays(true) == AssetPolicySetting(policy: .always, isDefault: true))
        }
    }

    @Test(arguments: Backend.allCases) func `are not evicted where no other device keeps them`(
        backend: Backend
    ) async throws {
        try await Self.run(backend) { zone, _ in
            let picture = try await zone.upload(Data([1, 2, 3]))
            try await zone.save(TypedRecord("lake", Photo(title: "The lake", picture: picture)))
            let error = await #expect(throws: KairanError.self) { try await zone.evictAsset("picture", of: "lake") }
            #expect(error?.code == "asset.not_safe" && error?.problem.holders == [])
            #expect(try await zone.asset("picture", of: "lake").state == .present)
            let unknown = await #expect(throws: KairanError.self) { try await zone.evictAsset("none", of: "lake") }
            #expect(unknown?.code == "asset.unknown")
        }
    }

    @Test(arguments: Backend.allCases) func `are linked to no file where no folder of files is configured`(
        backend: Backend
    ) async throws {
        try await Self.run(backend) { zone, _ in
            let client = zone.client
            let picture = try await zone.upload(Data([1, 2, 3]))
            try await zone.save(TypedRecord("lake", Photo(title: "The lake", picture: picture)))
            let place = Asset.Place(zone: zone.id, record: "lake", field: "picture")
            let file = LinkableFile("/etc/passwd")
            let new = await #expect(throws: KairanError.self) { try await client.assets.link(file, in: zone.id) }
            let copy = await #expect(throws: KairanError.self) { try await client.assets.link(file, to: place) }
            #expect(new?.code == "link.path" && copy?.code == "link.path")
            #expect(try await client.assets.unlink(place).state == .present)
            #expect(try await client.assets.links(of: zone.id).links.isEmpty)
        }
    }

    @Test func `are values of a record like any other, which a save leaves as they were read`() throws {
        let time = Date(timeIntervalSince1970: 1_700_000_000.1254)
        var picture = AssetDescription(asset: "a", size: 7, name: "n", modifiedAt: time)
        let fields = try RecordEncoder().encode(Photo(title: "t", picture: picture, others: [picture])).values
        picture.modifiedAt = Date(timeIntervalSince1970: 1_700_000_000.125)
        #expect(fields["picture"] == .asset(picture) && fields["others"] == .list([.asset(picture)]))
        #expect(try RecordDecoder().decode(Photo.self, from: fields).picture == picture)

        let record = Record(
            zone: "z",
            name: "r",
            type: "Photo",
            fields: fields,
            version: "v",
            createdBy: "d",
            modifiedBy: "d",
            modifiedAt: time
        )
        var read = try TypedRecord<Photo>(record)
        #expect(try read.write() == nil)
        // The size follows from the content, so a program need not know it.
        read.value.picture?.size = 0
        #expect(try read.write() == nil)
        read.value.title = "u"
        #expect(try read.write()?.fields == ["title": "u"])
        read.value.picture?.mediaType = "image/png"
        #expect(try read.write()?.fields.keys == ["picture", "title"])

        let draft = SyncEngine.Draft(type: nil, fields: fields, base: record)
        #expect(draft.write("r").fields == fields)
        #expect(draft.isFulfilled(by: record, mayBeDone: true))
    }
}
