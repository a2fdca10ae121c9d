internal import Crypto
internal import FileRecords
internal import FoundationEssentials
internal import KairanInterface

/// A file that a record asks to be shown at a path.
///
/// Several records, and several assets of one, can ask for the same path, and for one under which others are. All devices show the
/// same, in whatever order they learn of the records: a name belongs to the folder of that name, if there is one, else to the claim of
/// the lowest rank. A claim that does not get its name asks for ``otherName``.
struct FileClaim: Sendable, Hashable {
    /// The order of claims to one name.
    struct Rank: Sendable, Hashable, Comparable {
        /// Whether the record is a `File`, whose path is its own statement: it goes before all assets of other records.
        var isFile: Bool
        /// The place of the asset.
        var place: FilePlace

        /// Whether the left claim goes first.
        static func < (left: Rank, right: Rank) -> Bool {
            if left.isFile != right.isFile { return left.isFile }
            if left.place.record != right.place.record { return left.place.record < right.place.record }
            if left.place.field != right.place.field { return left.place.field < right.place.field }
            return left.place.item ?? -1 < right.place.item ?? -1
        }
    }

    /// The path.
    let path: FilePath
    /// The order among claims to the path.
    let rank: Rank
    /// The file.
    let file: MountedFile

    /// Makes a claim.
    init(_ path: FilePath, isFile: Bool, _ file: MountedFile) {
        self.path = path
        self.file = file
        rank = Rank(isFile: isFile, place: file.place)
    }

    /// The name in the same folder for a claim whose own name belongs to another one: `lake [3f2a9c01b7de].jpg`.
    ///
    /// The digits are the beginning of the SHA-256 of record, field and asset: they stay where the order of a list changes.
    var otherName: String {
        let digits = Self.digits(file.place.record.wrappedValue, file.place.field.wrappedValue, file.content.asset)
        let (stem, ending) = Self.parts(of: path.lastPart)
        let mark = " [\(digits)]"
        let room = FilePath.partByteCountMax - mark.utf8.count - ending.utf8.count
        return stem.limited(toByteCount: room) + mark + ending
    }

    /// The longest ending of a name, with its dot, that stays behind the digits.
    private static let endingByteCountMax = 16

    private static func parts(of name: String) -> (stem: String, ending: String) {
        let bytes = name.utf8
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > bytes.startIndex,
            bytes.distance(from: dot, to: bytes.endIndex) <= endingByteCountMax
        else { return (name, "") }
        return (String(decoding: bytes[..<dot], as: UTF8.self), String(decoding: bytes[dot...], as: UTF8.self))
    }

    private static func digits(_ texts: String...) -> String {
        var bytes: [UInt8] = []
        for text in texts { bytes += Array(text.utf8) + [0] }
        return String(FileDigest(SHA256.hash(data: bytes)).hexadecimal.prefix(12))
    }
}

extension String {
    /// The longest beginning that has at most so many bytes and ends between two characters of Unicode.
    func limited(toByteCount max: Int) -> String {
        guard utf8.count > max else { return self }
        var scalars = String.UnicodeScalarView()
        var byteCount = 0
        for scalar in unicodeScalars {
            byteCount += UTF8.width(scalar)
            guard byteCount <= max else { break }
            scalars.append(scalar)
        }
        return String(scalars)
    }
}
