/// The folders in which zones are shown, by the kernel's table of mounts.
struct MountTable: Equatable {
    /// One of them.
    struct Entry: Equatable {
        /// The folder.
        var folder: String
        /// The zone: its name, or its id where the name has other characters than letters, digits, `.`, `_` and `-`.
        var zone: String
    }

    /// The folders, in the order in which they were mounted.
    let entries: [Entry]

    private static let kind = "fuse.kairan"
    private static let byteCountMax = 64 << 20

    /// The table as it is now.
    static func current() async throws -> MountTable {
        MountTable(try await InputChunks(path: "/proc/self/mountinfo").collect(limit: byteCountMax))
    }

    /// Reads a table in the form of `/proc/self/mountinfo` (proc(5)).
    init(_ text: [UInt8]) {
        entries = text.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let fields = line.split(separator: UInt8(ascii: " "))
            // The fields before the hyphen vary in number.
            guard let hyphen = fields.firstIndex(where: { $0.elementsEqual("-".utf8) }), hyphen > 4,
                fields.count > hyphen + 2, fields[hyphen + 1].elementsEqual(Self.kind.utf8)
            else { return nil }
            return Entry(folder: Self.plain(fields[4]), zone: Self.plain(fields[hyphen + 2]))
        }
    }

    /// A field in which the kernel has written a space, a tab, a line's end or a backslash as a backslash and three octal digits.
    private static func plain(_ field: ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        var rest = field
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
