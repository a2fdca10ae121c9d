/// The options of a mount, as libfuse and the kernel take them.
struct MountOptions: Sendable, Hashable {
    /// The name of the zone, or its id, that `mount` and `df` show.
    var source: String
    /// Whether other users may read the files.
    var allowsOthers = false
    /// Whether files may be executed.
    var allowsExecution = false
    /// Whether files may be written.
    var isWritable = false

    /// The kind of file system that `mount` shows, behind `fuse.`.
    static let kind = "kairan"

    /// The options, separated by commas.
    var text: String {
        var options = [
            isWritable ? "rw" : "ro", "nosuid", "nodev", "default_permissions", "auto_unmount", "subtype=\(Self.kind)",
            "fsname=\(Self.escaped(source))",
        ]
        if !allowsExecution { options.append("noexec") }
        if allowsOthers { options.append("allow_other") }
        return options.joined(separator: ",")
    }

    /// Names a zone in the table of mounts.
    /// - Parameters:
    ///   - name: Its name, which members choose.
    ///   - id: Its id.
    /// - Returns: The name if it has nothing but letters, digits, `.`, `_` and `-` of ASCII, and does not begin with `-`; else the id.
    static func source(name: String, id: String) -> String {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        return isPlain && !name.isEmpty && !name.hasPrefix("-") ? name : id
    }

    /// A value in the list: libfuse takes a backslash before a comma and before a backslash.
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing(",", with: "\\,")
    }
}
