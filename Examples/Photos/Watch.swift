import ArgumentParser
import Foundation
import KairanClient

struct Watch: PhotosCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the photos of an album, and each change from then on.",
        discussion: """
            New photos, titles and tags are shown as they arrive, and contents while they are fetched. Ctrl-C ends it.
            """
    )
    @OptionGroup var options: Options
    @Argument(help: "The album's name.") var album: String

    func run(_ albums: Albums, _ output: Output) async throws {
        var screen = AlbumScreen(album: try await albums.album(album), output: output)
        for try await event in screen.album.zone.subscription() { try await screen.take(event) }
    }
}

/// The content of the screen of an album that is watched.
struct AlbumScreen {
    let album: Album
    let output: Output
    private var placeholders = Placeholders()

    private struct ContentLine: Codable {
        var event = "content"
        var photo: String
        var state: String
        var percent: Int
    }

    init(album: Album, output: Output) {
        self.album = album
        self.output = output
    }

    mutating func take(_ event: Subscription.Element) async throws {
        switch event.kind {
        // Changes from here on follow as events; those that are in the list already are not shown twice. No event about
        // a content is repeated, so their states are asked for again behind an interruption.
        case .started, .resumed, .expired: try await showAll()
        case .event(.change(let change)): try await take(change)
        case .event(.asset(let change)):
            for line in placeholders.take(change) {
                try output.show(
                    ContentLine(photo: line.photo, state: line.state, percent: line.percent),
                    "\(line.photo): \(line.standing)"
                )
            }
        case .event(.zone(let change)):
            // This is the last event of this album.
            guard let departure = change.departure else { break }
            try output.show(
                ["event": "gone", "reason": departure.reason.rawValue],
                "The album is gone: \(departure.reason)"
            )
        default: break
        }
    }

    private mutating func showAll() async throws {
        let album = self.album
        let lines = try await persistently(for: nil) { try await album.lines(album.photos()) }
        for name in placeholders.removeAll(but: lines) { try showRemoved(name) }
        for line in lines { try show(line) }
    }

    private mutating func take(_ change: Change) async throws {
        guard change.kind == .save, let photo = Album.photo(change.record) else {
            if placeholders.remove(change.record.name) { try showRemoved(change.record.name) }
            return
        }
        let album = self.album
        if let line = try await persistently(for: nil, { try await album.line(photo) }) { try show(line) }
    }

    private mutating func show(_ line: PhotoLine) throws {
        guard placeholders.take(line) else { return }
        try output.show(line, line.cells.filter { !$0.isEmpty }.joined(separator: "  "))
    }

    private func showRemoved(_ name: String) throws {
        try output.show(["event": "removed", "photo": name], "\(name): deleted")
    }
}
