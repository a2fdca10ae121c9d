import ArgumentParser
import Foundation
import KairanClient

struct Add: PhotosCommand {
    static let configuration = CommandConfiguration(
        abstract: "Adds photos.",
        discussion: "A photo that the album has already is passed over, so the command can be repeated if interrupted."
    )
    @OptionGroup var options: Options
    @Argument(help: "The album's name.") var album: String
    @Argument(help: "The files.") var files: [String]
    @Option(help: "Tags for all of them; repeat the option for more.") var tag: [String] = []
    @Option(help: "The path in the album, of one photo; its file name by default.") var name: String?
    @Option(help: "The title of one photo.") var title: String?
    @Option(help: "The time at which one photo was taken, as 2026-07-21T09:30:00Z.") var taken: String?
    @Option(help: "The media type of one photo; by default that of the end of its name.") var type: String?
    @Option(help: "A file of at most 16 KiB with a small picture of one photo, which all machines have at once.")
    var thumbnail: String?

    private struct Line: Codable {
        var event: String
        var photo: String
        var size: UInt64
    }

    func validate() throws {
        let ofOne: [String?] = [name, title, taken, type, thumbnail]
        guard files.count == 1 || ofOne.allSatisfy({ $0 == nil }) else {
            throw ValidationError("--name, --title, --taken, --type and --thumbnail are about one photo.")
        }
    }

    func run(_ albums: Albums, _ output: Output) async throws {
        let facts = PhotoFacts(
            mediaType: type,
            takenAt: try taken.map(Self.time),
            title: title,
            tags: Set(tag),
            thumbnail: try thumbnail.map(Self.picture)
        )
        let album = try await albums.album(album)
        for file in files {
            let path = name ?? URL(filePath: file).lastPathComponent
            let meter = output.meter(path)
            let added = try await album.add(URL(filePath: file), as: path, facts) { meter.take($0) }
            let line = Line(
                event: added.isNew ? "added" : "unchanged",
                photo: added.photo.name,
                size: added.photo.value.content.size
            )
            try output.show(line, "\(line.photo): \(line.event), \(Output.size(line.size))")
        }
    }

    private static func time(_ text: String) throws -> Date {
        do {
            return try Date.ISO8601FormatStyle().parse(text)
        } catch {
            throw PhotosError("\(text) is no time. Write it as 2026-07-21T09:30:00Z.")
        }
    }

    private static func picture(_ path: String) throws -> Data {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw PhotosError("\(path) cannot be read. Check the path, and that you may read the file.")
        }
        guard data.count <= Photo.thumbnailByteCountMax else {
            throw PhotosError(
                "\(path) is larger than 16 KiB, the most that a record takes. Make a smaller one, for example with "
                    + "`vipsthumbnail --size 256 -o small.webp`."
            )
        }
        return data
    }
}

struct Ls: PhotosCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the photos of an album, the oldest first.")
    @OptionGroup var options: Options
    @Argument(help: "The album's name.") var album: String
    @Option(help: "Only photos with this tag.") var tag: String?
    @Flag(help: "Only favourites.") var favourites = false

    func run(_ albums: Albums, _ output: Output) async throws {
        let album = try await albums.album(album)
        let photos = try await album.photos().filter { photo in
            (!favourites || photo.value.favourite == true)
                && (tag.map { photo.value.tags?.contains($0) == true } ?? true)
        }
        try output.table(await album.lines(photos))
    }
}

struct Open: PhotosCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes a photo to a file; fetches it first where it is not here.",
        discussion: """
            The daemon checks each part that it receives from another machine, and continues with the missing part \
            after an interruption. The file gets its name when all of the photo is on the disk.
            """
    )
    @OptionGroup var options: Options
    @Argument(help: "The album's name.") var album: String
    @Argument(help: "The photo: its path, file name or title.") var photo: String
    @Option(name: .shortAndLong, help: "The file to write; by default one of the photo's name, in this folder.")
    var output: String?
    @Option(help: "The seconds to wait for a machine that has it.") var wait = 60

    private struct Line: Codable {
        var event = "opened"
        var photo: String
        var file: String
        var size: UInt64
    }

    func run(_ albums: Albums, _ output: Output) async throws {
        let album = try await albums.album(album)
        let photo = try await album.photo(photo)
        let file = try target(of: photo.value)
        let meter = output.meter(photo.name)
        let content: Asset
        do {
            content = try await persistently(for: .seconds(wait)) {
                try await album.zone.download(
                    Photo.contentField,
                    of: photo.name,
                    to: file,
                    progress: { meter.take($0) }
                )
            }
        } catch let error as KairanError where error.code == "asset.unavailable" {
            let reasons = try await album.client.assets.explanation(of: photo.value.content.asset)
            throw PhotosError(([error.problem.detail] + reasons.reasons + [reasons.fix]).joined(separator: " "))
        }
        let path = file.path(percentEncoded: false)
        guard content.asset == photo.value.content.asset else {
            throw PhotosError("\(photo.name) was replaced while it was opened: \(path) has the new photo.")
        }
        let line = Line(photo: photo.name, file: path, size: content.size)
        try output.show(line, "\(photo.name): \(Output.size(content.size)) in \(path)")
    }

    private func target(of photo: Photo) throws -> URL {
        if let output { return URL(filePath: output) }
        // Another person may have chosen the name.
        let name = photo.fileName
        guard !name.hasPrefix("."), name == Output.clean(name), !FileManager.default.fileExists(atPath: name) else {
            throw PhotosError("\(name) is here already, or no name to write by itself. Name a file with --output.")
        }
        return URL(filePath: name)
    }
}

struct Thumbnail: PhotosCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes the thumbnail of a photo to a file; it is here before the photo."
    )
    @OptionGroup var options: Options
    @Argument(help: "The album's name.") var album: String
    @Argument(help: "The photo: its path, file name or title.") var photo: String
    @Option(name: .shortAndLong, help: "The file to write.") var output: String

    func run(_ albums: Albums, _ output: Output) async throws {
        let album = try await albums.album(album)
        let photo = try await album.photo(photo)
        guard let thumbnail = photo.value.content.thumbnail else {
            throw PhotosError("\(photo.name) has no thumbnail. `kairan-photos open` fetches the photo itself.")
        }
        do {
            try thumbnail.write(to: URL(filePath: self.output), options: .atomic)
        } catch {
            throw PhotosError(
                "\(self.output) cannot be written. Name a file in a folder that you may write to and that has space."
            )
        }
        try output.show(["photo": photo.name, "file": self.output], self.output)
    }
}

struct Edit: PhotosCommand {
    static let configuration = CommandConfiguration(
        abstract: "Changes title, tags and the mark of a favourite.",
        discussion: """
            Changes that two machines make at once are both there. Two titles are a conflict: `ls` shows both, and \
            the next --title ends it.
            """
    )
    @OptionGroup var options: Options
    @Argument(help: "The album's name.") var album: String
    @Argument(help: "The photo: its path, file name or title.") var photo: String
    @Option(help: "The title; an empty one removes it.") var title: String?
    @Option(help: "A tag to add; repeat the option for more.") var tag: [String] = []
    @Option(help: "A tag to remove; repeat the option for more.") var untag: [String] = []
    @Flag(inversion: .prefixedNo, help: "Whether it is a favourite.") var favourite: Bool?

    func validate() throws {
        guard title != nil || favourite != nil || !tag.isEmpty || !untag.isEmpty else {
            throw ValidationError("Name a change: --title, --tag, --untag, --favourite or --no-favourite.")
        }
    }

    func run(_ albums: Albums, _ output: Output) async throws {
        let album = try await albums.album(album)
        var photo = try await album.photo(photo)
        if let title { photo.value.title = title.isEmpty ? nil : title }
        if let favourite { photo.value.favourite = favourite ? true : nil }
        if !tag.isEmpty || !untag.isEmpty {
            photo.value.tags = (photo.value.tags ?? []).union(tag).subtracting(untag)
        }
        let saved = try await album.save(photo, writesTitle: title != nil)
        if let line = try await album.line(saved) { try output.table([line]) }
    }
}

struct Rm: PhotosCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Deletes a photo on all machines.",
        discussion: "A change that another machine makes without knowledge of the deletion brings the photo back."
    )
    @OptionGroup var options: Options
    @Argument(help: "The album's name.") var album: String
    @Argument(help: "The photo: its path, file name or title.") var photo: String

    func run(_ albums: Albums, _ output: Output) async throws {
        let album = try await albums.album(album)
        let photo = try await album.photo(photo)
        // Not one that was changed since it was looked at.
        try await album.zone.delete(photo.name, ifVersion: photo.version)
        try output.show(
            ["event": "deleted", "photo": photo.name],
            "\(photo.name): deleted; machines that have the content drop it after seven days"
        )
    }
}

struct Free: PhotosCommand {
    static let configuration = CommandConfiguration(
        abstract: "Drops the content of a photo on this machine, once another one has promised to keep it.",
        discussion: "The thumbnail stays. `kairan-photos open` fetches the photo again."
    )
    @OptionGroup var options: Options
    @Argument(help: "The album's name.") var album: String
    @Argument(help: "The photo: its path, file name or title.") var photo: String
    @Option(help: "The number of other machines that have to keep it.") var copies = 1

    private struct Line: Codable {
        var event: String
        var photo: String
        var freed: UInt64
        var code: String?
        var reason: String?
        var devices: [Device]
    }

    private struct Device: Codable {
        var device: String
        var name: String?
        var answer: String
        var until: String?

        init(_ holder: AssetHolder, _ names: [String: String]) {
            device = holder.device
            name = names[holder.device]
            answer = holder.answer.rawValue
            until = holder.until?.ISO8601Format()
        }

        var text: String { (name ?? String(device.prefix(8))) + (until.map { " until \($0)" } ?? "") }
    }

    func run(_ albums: Albums, _ output: Output) async throws {
        let album = try await albums.album(album)
        let photo = try await album.photo(photo)
        let names = try await album.deviceNames()
        do {
            let outcome = try await album.zone.evictAsset(Photo.contentField, of: photo.name, copies: copies)
            let keepers = outcome.holders.filter { $0.answer == .promised }.map { Device($0, names) }
            let isHere = outcome.freed > 0 || !keepers.isEmpty
            let line = Line(
                event: isHere ? "freed" : "absent",
                photo: photo.name,
                freed: outcome.freed,
                devices: keepers
            )
            let kept = "\(Output.size(line.freed)) freed; kept by \(keepers.map(\.text).joined(separator: ", "))"
            try output.show(line, "\(line.photo): \(isHere ? kept : "its content is not here")")
        } catch let error as KairanError
            where ["asset.not_safe", "asset.promised", "asset.busy"].contains(error.code)
        {
            guard output.isJSON else {
                throw PhotosError("\(photo.name) stays. \(error.problem.detail) \(error.problem.fix)")
            }
            let line = Line(
                event: "kept",
                photo: photo.name,
                freed: 0,
                code: error.code,
                reason: error.problem.detail,
                devices: (error.problem.holders ?? []).map { Device($0, names) }
            )
            try output.show(line, "")
            throw ExitCode.failure
        }
    }
}
