import Foundation
import KairanClient

/// A photo of an album, or another file.
///
/// The records have the form of `docs/protocol/files.md`. So `kairan asset import` adds a folder to an album, with
/// thumbnails and times, `kairan mount` shows an album as a folder, and this program sees their files as photos. Title,
/// favourite and tags are fields of its own, which those programs leave as they are.
///
/// Records merge field by field: a title and a tag that two machines write at once are both there. Tags are a set, to
/// which each machine adds and from which it removes by itself. Two titles that were written at once are a conflict:
/// one is shown, and both are kept until a person writes another.
struct Photo: RecordContent {
    static let recordType = "File"
    static let contentField = "content"
    static let titleField = "title"
    /// The most bytes of a thumbnail, which is a part of the record.
    static let thumbnailByteCountMax = 16_384

    /// The path in the album, which is the name of the record too.
    var path: String
    /// The content: its size, time, type and thumbnail are here with the record, and its bytes when they are wanted.
    var content: AssetDescription
    var takenAt: Date?
    var title: String?
    /// True for a favourite, and left out for all others: so a mark stays that one machine makes while another removes
    /// an earlier one.
    var favourite: Bool?
    var tags: Set<String>?

    enum CodingKeys: String, CodingKey {
        case path, content, title, favourite, tags
        case takenAt = "taken_at"
    }

    /// The last part of the path.
    var fileName: String { Self.fileName(of: path) }

    /// The time by which photos are ordered: that of the camera, else that of the file.
    var time: Date? { takenAt ?? content.modifiedAt }

    /// Whether a record of this name describes a file of this path.
    ///
    /// Paths that cannot be names have a slash and a digest as the name. This program does not compute it, and so does
    /// not compare it.
    func isDescribed(by name: String) -> Bool { Name(name) == Name(path) || name.hasPrefix("/") }

    /// Whether a file on this machine has the size and the time that the content has.
    /// - Throws: ``PhotosError`` when the file cannot be read.
    func isCopy(of file: URL) throws -> Bool {
        let path = file.path(percentEncoded: false)
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            guard attributes[.type] as? FileAttributeType == .typeRegular,
                let changedAt = attributes[.modificationDate] as? Date, let modifiedAt = content.modifiedAt
            else { return false }
            // Records have times to the millisecond.
            guard abs(changedAt.timeIntervalSince(modifiedAt)) < 0.002 else { return false }
            return try FileHandle(forReadingFrom: file).seekToEnd() == content.size
        } catch {
            throw PhotosError("\(path) cannot be read. Check the path, and that you may read the file.")
        }
    }

    // MARK: Paths and types

    /// Whether a text is a path in an album, and can be the name of its record.
    static func isPath(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return (1...255).contains(text.utf8.count)
            && parts.allSatisfy { !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8) }
    }

    static func fileName(of path: String) -> String {
        let last = path.utf8.split(separator: UInt8(ascii: "/")).last
        return last.map { String(decoding: $0, as: UTF8.self) } ?? path
    }

    /// The media type that the end of a name stands for; `nil` for an end that is not known.
    static func mediaType(of name: String) -> String? {
        mediaTypes[URL(filePath: name).pathExtension.lowercased()]
    }

    private static let mediaTypes = [
        "avif": "image/avif", "gif": "image/gif", "heic": "image/heic", "heif": "image/heif", "jpeg": "image/jpeg",
        "jpg": "image/jpeg", "jxl": "image/jxl", "png": "image/png", "svg": "image/svg+xml", "tif": "image/tiff",
        "tiff": "image/tiff", "webp": "image/webp", "mkv": "video/x-matroska", "mov": "video/quicktime",
        "mp4": "video/mp4", "webm": "video/webm",
    ]
}

/// An error in a request of the person, with the next step.
struct PhotosError: Error, CustomStringConvertible {
    var description: String

    /// Other people have chosen some of the names in it.
    init(_ description: String) { self.description = Output.clean(description) }
}
