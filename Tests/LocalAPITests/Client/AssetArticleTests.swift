import FoundationEssentials
import KairanClient
import KairanTesting
import Synchronization
import Testing

private struct Photo: RecordContent {
    var title: String
    var picture: AssetDescription?
}

private func add(_ file: URL, titled title: String, to zone: RecordZone) async throws -> TypedRecord<Photo> {
    let picture = try await zone.upload(fileURL: file, mediaType: "image/jpeg") { progress in
        show(progress.byteCount, of: progress.total)
    }
    return try await zone.save(TypedRecord(Photo(title: title, picture: picture)))
}

private func show(_ photo: TypedRecord<Photo>, in zone: RecordZone) async throws {
    for try await asset in zone.assetStates("picture", of: photo.name) {
        show(UInt64(asset.percent), of: 100)
        if asset.state == .present { break }
        if [.remote, .evicted].contains(asset.state) { try await zone.fetchAsset("picture", of: photo.name) }
    }
    for try await piece in try await zone.content("picture", of: photo.name) { show(piece) }
}

private func save(_ photo: TypedRecord<Photo>, of zone: RecordZone, as file: URL) async throws {
    try await zone.download("picture", of: photo.name, to: file)
}

private func saveSpace(in zone: RecordZone) async throws {
    try await zone.setAssetPolicy(.upTo(1_000_000))
    for try await asset in zone.assets() where asset.state == .remote {
        show(asset.name ?? asset.asset)
    }
}

/// The functions that the article leaves to the application.
private let shown = Mutex<[String]>([])

private func show(_ count: UInt64, of total: UInt64) { shown.withLock { $0.append("\(count) of \(total)") } }

private func show(_ piece: Data) { shown.withLock { $0.append("\(piece.count) bytes") } }

private func show(_ name: String) { shown.withLock { $0.append(name) } }

/// The examples of the article about assets.
@Suite struct `An application with photos` {
    @Test func `adds, shows and saves one`() async throws {
        let zone = try await MemoryDaemon().kairan.container("org.example.photos").defaultZone()
        try await LiveServer.withDirectory { directory in
            let file = URL(filePath: directory + "/lake.jpg")
            try Data([1, 2, 3]).write(to: file)
            let photo = try await add(file, titled: "The lake", to: zone)
            try await show(photo, in: zone)
            try await save(photo, of: zone, as: URL(filePath: directory + "/copy.jpg"))
            try await saveSpace(in: zone)
            #expect(try Data(contentsOf: URL(filePath: directory + "/copy.jpg")) == Data([1, 2, 3]))
        }
        #expect(shown.withLock { $0 } == ["3 of 3", "100 of 100", "3 bytes"])
    }
}
