package import FileRecords
import KairanInterface

/// The folder that a journal is about.
package struct JournalHeader: Sendable, Hashable {
    /// The id of the zone.
    package var zone: String
    /// The path of the folder, when it was last used.
    package var path: String
    /// The number of the folder in its file system.
    package var folderInode: UInt64
    /// The number of the file `.kairan-folder` in the file system: a copy of the folder has another one.
    package var markerInode: UInt64

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(zone: String, path: String, folderInode: UInt64, markerInode: UInt64) {
        self.zone = zone
        self.path = path
        self.folderInode = folderInode
        self.markerInode = markerInode
    }
}

/// The lines of a journal of bases: a header, then a line for each change.
///
/// The newest line of a path holds. A journal that lacks its newest lines is an earlier state, from which folder and zone are brought into step
/// without a loss: equal files are adopted, and of different ones both are kept.
package enum JournalText {
    private static let format = "kairan-folder-journal-1"

    /// A journal as it was read.
    package struct Content: Sendable, Hashable {
        /// The folder.
        package var header: JournalHeader
        /// The bases.
        package var bases: [FilePath: FolderBase]
        /// The number of its lines.
        package var lineCount: Int
        /// The number of bytes up to the end of its last whole line; a torn line may follow.
        package var byteCount: Int
    }

    /// The line of a header, with its end.
    package static func line(_ header: JournalHeader) -> [UInt8] {
        let json: JSONValue = [
            "format": .string(format), "zone": .string(header.zone), "path": .string(header.path),
            "folder": .string(String(header.folderInode)), "marker": .string(String(header.markerInode)),
        ]
        return json.encoded + [UInt8(ascii: "\n")]
    }

    /// The line of a change, with its end.
    package static func line(_ change: BaseChange) -> [UInt8] {
        let json: JSONValue
        switch change {
        case .forget(let path): json = ["forget": .string(path.text)]
        case .set(let path, let base):
            json = [
                "set": .string(path.text), "sha256": .string(base.digest.hexadecimal),
                "inode": .string(String(base.identity.inode)), "size": .string(String(base.identity.size)),
                "modified": .integer(base.identity.modified), "changed": .integer(base.identity.changed),
                "executable": .bool(base.identity.isExecutable), "version": .string(base.version),
                "asset": .string(base.asset), "verified": .bool(base.isVerified),
                "record_executable": .bool(base.isExecutable),
            ]
        }
        return json.encoded + [UInt8(ascii: "\n")]
    }

    /// Reads a journal.
    /// - Parameters:
    ///   - bytes: The content of the file.
    ///   - device: The file system that the folder is on now: its number may be another one after a restart of the machine.
    /// - Returns: The journal; `nil` where it has no header, or a line in its middle is damaged.
    package static func read(_ bytes: [UInt8], device: UInt64) -> Content? {
        var content: Content?
        var (start, isTorn) = (0, false)
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            let json = parse(bytes[start..<end])
            start = end + 1
            guard let json else {
                // A power cut may leave more than one line behind in pieces, and none behind these.
                isTorn = true
                continue
            }
            guard !isTorn else { return nil }
            guard content != nil else {
                guard let header = header(json) else { return nil }
                content = Content(header: header, bases: [:], lineCount: 1, byteCount: start)
                continue
            }
            if let text = json["forget"]?.text, let path = FilePath(text) {
                content?.bases[path] = nil
            } else if let text = json["set"]?.text, let path = FilePath(text), let base = base(json, device) {
                content?.bases[path] = base
            } else {
                return nil
            }
            content?.lineCount += 1
            content?.byteCount = start
        }
        return content
    }

    private static func parse(_ line: ArraySlice<UInt8>) -> JSONValue? {
        do {
            return try JSONParser.parse(Array(line))
        } catch {
            // The reader decides by the lines that follow whether it was torn or damaged.
            return nil
        }
    }

    private static func header(_ json: JSONValue) -> JournalHeader? {
        guard json["format"]?.text == format, let zone = json["zone"]?.text, let path = json["path"]?.text,
            let folder = json["folder"]?.text.flatMap({ UInt64($0) }),
            let marker = json["marker"]?.text.flatMap({ UInt64($0) })
        else { return nil }
        return JournalHeader(zone: zone, path: path, folderInode: folder, markerInode: marker)
    }

    private static func base(_ json: JSONValue, _ device: UInt64) -> FolderBase? {
        guard let digest = json["sha256"]?.text.flatMap({ FileDigest($0.hexadecimalBytes) }),
            let inode = json["inode"]?.text.flatMap({ UInt64($0) }),
            let size = json["size"]?.text.flatMap({ UInt64($0) }), let modified = json["modified"]?.integer,
            let changed = json["changed"]?.integer, case .bool(let isExecutable)? = json["executable"],
            let version = json["version"]?.text, let asset = json["asset"]?.text,
            case .bool(let isVerified)? = json["verified"],
            case .bool(let isRecordExecutable)? = json["record_executable"]
        else { return nil }
        let identity = FileIdentity(
            device: device,
            inode: inode,
            size: size,
            modified: modified,
            changed: changed,
            isExecutable: isExecutable
        )
        return FolderBase(
            digest: digest,
            identity: identity,
            version: version,
            asset: asset,
            isVerified: isVerified,
            isExecutable: isRecordExecutable
        )
    }
}

extension String {
    /// The bytes that hexadecimal digits stand for; none for a text of another form.
    fileprivate var hexadecimalBytes: [UInt8] {
        let digits = utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2) else { return [] }
        return stride(from: 0, to: digits.count, by: 2).compactMap { index in
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            return UInt8(high * 16 + low)
        }
    }
}
