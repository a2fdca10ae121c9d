import Foundation
import KairanClient

/// A line of `--json`: a photo, with the state of its content on this machine.
struct PhotoLine: Codable, Equatable {
    var event = "photo"
    /// The path, which names it in other commands.
    var photo: String
    var title: String?
    /// The titles that machines have written at once; left out where there is one.
    var titles: [String]?
    var favourite: Bool
    var tags: [String]
    var mediaType: String?
    var size: UInt64
    var takenAt: String?
    var modifiedAt: String?
    /// Whether a thumbnail is here, as it is with the record.
    var thumbnail: Bool
    /// The id of the content.
    var asset: String
    var state: String
    var percent: Int

    enum CodingKeys: String, CodingKey {
        case event, photo, title, titles, favourite, tags, size, thumbnail, asset, state, percent
        case mediaType = "media_type"
        case takenAt = "taken_at"
        case modifiedAt = "modified_at"
    }

    init(_ photo: TypedRecord<Photo>, content: Asset, titles: [String]?) {
        self.photo = photo.name
        title = photo.value.title
        self.titles = titles
        favourite = photo.value.favourite ?? false
        tags = (photo.value.tags ?? []).sorted()
        mediaType = photo.value.content.mediaType
        size = photo.value.content.size
        takenAt = photo.value.takenAt?.ISO8601Format()
        modifiedAt = photo.value.content.modifiedAt?.ISO8601Format()
        thumbnail = photo.value.content.thumbnail != nil
        asset = photo.value.content.asset
        state = content.state.rawValue
        percent = content.percent
    }

    // MARK: The text for people

    /// The headings of the cells.
    static let headings = ["PHOTO", "SIZE", "TAKEN", "CONTENT", "THUMBNAIL", "TITLE"]

    var cells: [String] {
        let taken = String((takenAt ?? modifiedAt ?? "").prefix(16)).replacing("T", with: " ")
        return [photo, Output.size(size), taken, standing, thumbnail ? "yes" : "no", caption]
    }

    /// The title, the mark of a favourite and the tags.
    private var caption: String {
        var parts = titles.map { [$0.joined(separator: " / ") + " (conflict: edit --title)"] } ?? []
        if titles == nil, let title { parts.append(title) }
        if favourite { parts.append("★") }
        return (parts + tags.map { "#" + $0 }).joined(separator: " ")
    }

    /// The state of the content in words.
    var standing: String {
        switch Asset.State(rawValue: state) {
        case .remote: "remote"
        case .evicted: "freed"
        case .queued, .partial: "wanted \(percent) %"
        case .unresolved: "wanted \(percent) %, no machine in reach"
        case .missing: "wanted \(percent) %, missing in reach"
        case .present: "present"
        default: state
        }
    }
}

/// The photos of an album as they were shown last, so that each change is shown once.
struct Placeholders {
    private var shown: NameDictionary<PhotoLine> = [:]

    /// Takes in a photo.
    /// - Returns: Whether it is new or has changed.
    mutating func take(_ line: PhotoLine) -> Bool {
        guard shown[line.photo] != line else { return false }
        shown[line.photo] = line
        return true
    }

    /// Takes in another state of a content.
    /// - Returns: The photos that have this content, and had another state.
    mutating func take(_ change: AssetChange) -> [PhotoLine] {
        var changed: [PhotoLine] = []
        for var line in shown.values where line.asset == change.asset {
            guard line.state != change.state.rawValue || line.percent != change.percent else { continue }
            (line.state, line.percent) = (change.state.rawValue, change.percent)
            shown[line.photo] = line
            changed.append(line)
        }
        return changed
    }

    /// Takes in that a photo was deleted.
    /// - Returns: Whether it was shown.
    mutating func remove(_ photo: String) -> Bool { shown.removeValue(forKey: photo) != nil }

    /// Takes in all photos that there are.
    /// - Returns: The names of those that were shown and are gone.
    mutating func removeAll(but lines: [PhotoLine]) -> [String] {
        var left = shown
        for line in lines { left.removeValue(forKey: line.photo) }
        for name in left.keys { shown.removeValue(forKey: name) }
        return left.keys
    }
}
