import Foundation
import KairanClient

/// All albums of this account, and those of others that it has joined.
struct Albums {
    static let containerName = "org.kairan.photos"

    let kairan: Kairan
    private var container: Container { kairan.container(Self.containerName) }

    init(_ kairan: Kairan) { self.kairan = kairan }

    func list() async throws -> [Album] {
        var albums: [Album] = []
        for zone in try await container.zoneDescriptions() { albums.append(try await album(of: zone)) }
        return albums.sorted { $0.name < $1.name }
    }

    /// The album of a name, or of a zone's id.
    func album(_ name: String) async throws -> Album {
        let found = try await container.zoneDescriptions().filter { $0.name == name || $0.zone == name }
        if found.count == 1, let zone = found.first { return try await album(of: zone) }
        guard found.isEmpty else {
            throw PhotosError(
                "There are several albums \(name). Use the id of one: `kairan-photos album ls --json` prints them."
            )
        }
        throw PhotosError(
            "There is no album \(name). `kairan-photos album ls` lists them; one of another machine is here once the "
                + "machines have met."
        )
    }

    /// Makes an album.
    func create(_ name: String) async throws -> Album {
        let zone = try await container.privateDatabase.createZone(named: name)
        return try await album(of: zone.describe())
    }

    /// Opens an invitation to an album.
    func join(_ link: String) async throws -> Join {
        let join = try await container.join(link)
        // The album is here before its photos, and so is the policy.
        if join.state == .joined { _ = try await list() }
        return join
    }

    /// An album that is seen here for the first time gets its policy: content is fetched when it is opened.
    ///
    /// By default a machine fetches all content of a zone. A policy that a person has chosen stays.
    private func album(of description: Zone) async throws -> Album {
        let zone = container.zone(id: description.zone)
        var policy = try await zone.assetPolicy()
        if policy.isDefault { policy = try await zone.setAssetPolicy(.onDemand) }
        return Album(description: description, zone: zone, policy: policy, client: kairan.client)
    }
}

/// One album: a zone.
struct Album {
    let description: Zone
    let zone: RecordZone
    /// The content that this machine fetches by itself.
    let policy: AssetPolicySetting
    let client: DaemonClient

    var name: String { description.name }

    // MARK: Photos

    /// All photos, the oldest first.
    func photos() async throws -> [TypedRecord<Photo>] {
        var photos: [TypedRecord<Photo>] = []
        var next: String?
        repeat {
            let page = try await zone.records(after: next, limit: 1_000)
            photos += page.records.compactMap { Self.photo($0) }
            next = page.next
        } while next != nil
        return photos.sorted { left, right in
            let times = (left.value.time ?? Date.distantFuture, right.value.time ?? Date.distantFuture)
            return times.0 == times.1 ? left.name < right.name : times.0 < times.1
        }
    }

    /// Reads a record; `nil` for one that is no photo.
    ///
    /// A record of another program, or of one that is faulty, must not keep a person from the photos beside it.
    static func photo(_ record: Record) -> TypedRecord<Photo>? {
        guard !record.isDeleted, let photo = try? TypedRecord(record, as: Photo.self),
            photo.value.isDescribed(by: photo.name)
        else { return nil }
        return photo
    }

    /// The photo of a path, or the only one with this file name or title.
    func photo(_ text: String) async throws -> TypedRecord<Photo> {
        if let record = try await self.record(text), let photo = Self.photo(record) { return photo }
        let found = try await photos().filter { $0.value.fileName == text || $0.value.title == text }
        guard found.count == 1, let photo = found.first else {
            throw PhotosError(
                found.isEmpty
                    ? "\(name) has no photo \(text). `kairan-photos ls` lists the photos of an album."
                    : "\(name) has several photos \(text). Use the path of one: `kairan-photos ls` shows it."
            )
        }
        return photo
    }

    /// The record of a name; `nil` when there is none.
    private func record(_ name: String) async throws -> Record? {
        do {
            let record: Record = try await zone.record(name)
            return record
        } catch let error as KairanError where Self.isAbsence(error) {
            return nil
        }
    }

    /// Whether an error says that the record, or its content, is not there.
    static func isAbsence(_ error: KairanError) -> Bool {
        ["record.unknown", "record.deleted", "asset.unknown"].contains(error.code)
    }

    /// Adds a file.
    ///
    /// A file that the album has already is not uploaded again, so a command that was interrupted can be repeated.
    /// - Parameters:
    ///   - file: The file.
    ///   - path: Its path in the album.
    ///   - facts: The other facts about it.
    ///   - progress: Called with the number of bytes that were sent.
    /// - Returns: The photo, and whether it is new.
    /// - Throws: ``PhotosError``, `KairanError`, `CancellationError`.
    func add(
        _ file: URL,
        as path: String,
        _ facts: PhotoFacts,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> (photo: TypedRecord<Photo>, isNew: Bool) {
        guard Photo.isPath(path) else {
            throw PhotosError("\(path) is no name for a photo. Choose one of at most 255 bytes with --name.")
        }
        if let record = try await self.record(path) {
            guard let known = Self.photo(record), try known.value.isCopy(of: file) else {
                throw PhotosError(
                    "\(name) has another photo \(path). Choose another name with --name, or delete that one first."
                )
            }
            return (known, false)
        }
        let content = try await zone.upload(
            fileURL: file,
            name: Photo.fileName(of: path),
            mediaType: facts.mediaType ?? Photo.mediaType(of: path),
            thumbnail: facts.thumbnail,
            progress: progress
        )
        let photo = Photo(
            path: path,
            content: content,
            takenAt: facts.takenAt,
            title: facts.title,
            tags: facts.tags.isEmpty ? nil : facts.tags
        )
        // Another program may have added one of this name in the meantime.
        return (try await zone.save(TypedRecord(path, photo), .ifUnchanged), true)
    }

    /// Saves the fields that were changed.
    /// - Parameters:
    ///   - photo: The photo.
    ///   - writesTitle: Whether the title is written even if it is the one that is shown, which ends a conflict about
    ///     it.
    /// - Returns: The photo as it is now, with the changes of other machines.
    /// - Throws: `KairanError`, `CancellationError`.
    func save(_ photo: TypedRecord<Photo>, writesTitle: Bool) async throws -> TypedRecord<Photo> {
        guard writesTitle, photo.conflicts > 0 else { return try await zone.save(photo) }
        var write = try photo.write() ?? RecordWrite(photo.name)
        if let title = photo.value.title {
            write.fields[Photo.titleField] = .string(title)
        } else if !write.removedFields.contains(Photo.titleField) {
            write.removedFields.append(Photo.titleField)
        }
        return try await TypedRecord(zone.save(write))
    }

    // MARK: Lines

    /// Describes photos, with the states of their contents on this machine.
    func lines(_ photos: [TypedRecord<Photo>]) async throws -> [PhotoLine] {
        var contents: NameDictionary<Asset> = [:]
        for try await asset in zone.assets() where asset.field == Photo.contentField && asset.item == nil {
            contents[asset.record] = asset
        }
        var titles: NameDictionary<[String]> = [:]
        if photos.contains(where: { $0.conflicts > 0 }) { titles = try await competingTitles() }
        // A photo that came between both requests is in neither answer as a whole; it is in the next one.
        return photos.compactMap { photo in
            contents[photo.name].map { PhotoLine(photo, content: $0, titles: titles[photo.name]) }
        }
    }

    /// Describes one photo; `nil` when it was deleted in the meantime.
    func line(_ photo: TypedRecord<Photo>) async throws -> PhotoLine? {
        do {
            let content = try await zone.asset(Photo.contentField, of: photo.name)
            var titles: NameDictionary<[String]> = [:]
            if photo.conflicts > 0 { titles = try await competingTitles() }
            return PhotoLine(photo, content: content, titles: titles[photo.name])
        } catch let error as KairanError where Self.isAbsence(error) {
            return nil
        }
    }

    /// The titles of photos that machines have written without knowledge of each other.
    private func competingTitles() async throws -> NameDictionary<[String]> {
        func title(_ side: Sibling?) -> String? {
            if case .string(let text)? = side?.fields[Photo.titleField] { text } else { nil }
        }
        var titles: NameDictionary<[String]> = [:]
        for conflict in try await zone.conflicts() {
            // A side that has changed other fields alone has the title of before.
            let before = title(conflict.ancestor)
            let written = Set(conflict.siblings.compactMap { title($0) }.filter { $0 != before })
            if written.count > 1 { titles[conflict.name] = written.sorted() }
        }
        return titles
    }

    /// The names of the devices that take part, by their ids.
    func deviceNames() async throws -> [String: String] {
        let share = try await zone.share()
        let devices = share.owner.devices + share.participants.flatMap(\.devices)
        return Dictionary(devices.map { ($0.device, $0.name) }) { first, _ in first }
    }
}

/// The facts about a photo that a person states; a program that reads them from the file is `kairan asset import`.
struct PhotoFacts {
    var mediaType: String?
    var takenAt: Date?
    var title: String?
    var tags: Set<String> = []
    var thumbnail: Data?
}

/// Tries again while the daemon is restarted, or while no machine in reach sends the content.
/// - Parameters:
///   - duration: The time after which no other attempt is made; `nil` for none.
///   - work: One attempt.
/// - Returns: The result of the attempt that succeeded.
/// - Throws: The error of the last attempt; `CancellationError`.
func persistently<Value>(for duration: Duration?, _ work: () async throws -> Value) async throws -> Value {
    let deadline = duration.map { ContinuousClock.now + $0 }
    while true {
        do {
            return try await work()
        } catch let error as KairanError where error.isRetryable {
            if let deadline, ContinuousClock.now >= deadline { throw error }
            try await Task.sleep(for: .milliseconds(500))
        }
    }
}
