import ArgumentParser
import Foundation
import KairanClient

/// The command line.
@main
struct PhotosProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kairan-photos",
        abstract: "Albums of photos on all of your machines, through Kairan.",
        discussion: """
            An album is a zone. Every machine has names, thumbnails and titles of all photos at once, and fetches a \
            photo when it is opened. `kairan asset import FOLDER ALBUM` adds a whole folder, with the thumbnails and \
            times that it finds in the files; `kairan mount ALBUM FOLDER` shows an album to all other programs.
            """,
        subcommands: [
            AlbumGroup.self, Add.self, Ls.self, Open.self, Thumbnail.self, Watch.self, Edit.self, Free.self, Rm.self,
        ]
    )
}

struct Options: ParsableArguments {
    @Option(help: "The daemon's socket.") var socket: String?
    @Flag(help: "Print one JSON document a line.") var json = false
}

/// A command on the albums of this account.
protocol PhotosCommand: AsyncParsableCommand {
    var options: Options { get }
    func run(_ albums: Albums, _ output: Output) async throws
}

extension PhotosCommand {
    mutating func run() async throws {
        let command = self
        do {
            try await Kairan.connect(socketPath: options.socket ?? SocketPath.standard) { kairan in
                try await command.run(Albums(kairan), Output(isJSON: command.options.json))
            }
        } catch let error as KairanError {
            throw PhotosError(error.description)
        }
    }
}

struct AlbumGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "album",
        abstract: "Makes, lists and shares albums.",
        subcommands: [NewAlbum.self, LsAlbums.self, KeepAlbum.self, ShareAlbum.self, JoinAlbum.self]
    )
}

struct NewAlbum: PhotosCommand {
    static let configuration = CommandConfiguration(commandName: "new", abstract: "Makes an album.")
    @OptionGroup var options: Options
    @Argument(help: "The album's name.") var album: String

    func run(_ albums: Albums, _ output: Output) async throws {
        let album = try await albums.create(album)
        try output.show(AlbumLine(album), "\(album.name): photos are fetched when they are opened")
    }
}

struct LsAlbums: PhotosCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "Lists the albums, and the content that this machine fetches by itself."
    )
    @OptionGroup var options: Options

    func run(_ albums: Albums, _ output: Output) async throws {
        for album in try await albums.list() {
            let line = AlbumLine(album)
            try output.show(line, "\(line.album): \(line.records) records, \(line.keeping)")
        }
    }
}

struct KeepAlbum: PhotosCommand {
    static let configuration = CommandConfiguration(
        commandName: "keep",
        abstract: "Chooses the content that this machine fetches by itself.",
        discussion: "At least one machine should keep all: a photo that no machine has any more cannot be fetched."
    )

    enum Choice: String, CaseIterable, ExpressibleByArgument {
        case all
        case onDemand = "on-demand"
    }

    @OptionGroup var options: Options
    @Argument(help: "The album's name.") var album: String
    @Argument(help: "`all` photos, or those that are opened here (`on-demand`).") var choice: Choice

    func run(_ albums: Albums, _ output: Output) async throws {
        let album = try await albums.album(album)
        let wanted: AssetClient.Policy = choice == .all ? .always : .onDemand
        let policy = try await album.zone.setAssetPolicy(wanted)
        let line = AlbumLine(
            Album(description: album.description, zone: album.zone, policy: policy, client: album.client)
        )
        try output.show(line, "\(line.album): \(line.keeping)")
    }
}

struct ShareAlbum: PhotosCommand {
    static let configuration = CommandConfiguration(
        commandName: "share",
        abstract: "Prints a link that invites other accounts to an album of yours."
    )
    @OptionGroup var options: Options
    @Argument(help: "The album's name.") var album: String
    @Option(help: "The number of accounts that the link admits.") var uses = 1
    @Flag(help: "They may also add, change and delete photos.") var write = false

    func run(_ albums: Albums, _ output: Output) async throws {
        let album = try await albums.album(album)
        let invitation = try await album.zone.invite(.init(write ? .write : .read), limits: .init(uses: uses))
        try output.show(["album": album.name, "zone": album.zone.id, "link": invitation.link], invitation.link)
    }
}

struct JoinAlbum: PhotosCommand {
    static let configuration = CommandConfiguration(commandName: "join", abstract: "Joins an album by a link.")
    @OptionGroup var options: Options
    @Argument(help: "The link.") var link: String

    func run(_ albums: Albums, _ output: Output) async throws {
        let join = try await albums.join(link)
        try output.show(["state": join.state.rawValue, "zone": join.zone ?? ""], join.state.rawValue)
    }
}

/// A line of `--json`.
struct AlbumLine: Codable {
    var album: String
    var zone: String
    var own: Bool
    var records: UInt64
    var policy: String
    var upTo: UInt64?

    enum CodingKeys: String, CodingKey {
        case album, zone, own, records, policy
        case upTo = "up_to"
    }

    init(_ album: Album) {
        self.album = album.name
        zone = album.zone.id
        own = album.description.isOwn
        records = album.description.records
        policy = album.policy.policy.rawValue
        upTo = album.policy.upTo
    }

    /// The policy in words.
    var keeping: String {
        switch AssetPolicySetting.Policy(rawValue: policy) {
        case .always: "all content is kept here"
        case .upTo: "content up to \(Output.size(upTo ?? 0)) is kept here, and more when it is opened"
        case .onDemand: "photos are fetched when they are opened"
        case .never: "no content is fetched here"
        default: policy
        }
    }
}
