internal import FileRecords
internal import Glibc
internal import KairanClient

/// A change that is refused with an error number of the system.
struct WriteFault: Error, Hashable {
    /// The number.
    let number: Int32

    /// Names a number.
    init(_ number: Int32) { self.number = number }

    /// The error number by which a program learns of a failure.
    static func number(of error: any Error) -> Int32 {
        switch error {
        case let error as WriteFault: error.number
        case let error as KairanError: number(of: error)
        default: ReadFault.number(of: error)
        }
    }

    private static func number(of error: KairanError) -> Int32 {
        switch error.code {
        case "storage.limit": EDQUOT
        case "asset.too_large", "request.too_large": EFBIG
        case "record.version_mismatch": EBUSY
        case "batch.too_large": E2BIG
        case "invalid_argument", "schema.violation": EINVAL
        case "request.too_slow", "guest.uncertain", "guest.unreachable": ETIMEDOUT
        case "forbidden", "guest.refused": EACCES
        case let code where ["right.", "access.", "device."].contains(where: { code.hasPrefix($0) }): EACCES
        default: ReadFault.number(of: error)
        }
    }

    /// Whether a record is not there any more.
    static func isGone(_ error: KairanError) -> Bool { ["record.deleted", "record.unknown"].contains(error.code) }
}

extension WriteFault: CustomStringConvertible {
    /// The reason, as a sentence.
    var description: String {
        // SAFETY: strerror returns a string for any number.
        unsafe "The system says: \(String(cString: strerror(number)))."
    }
}

/// The path of a name in a folder of the mount, by the rules of files as records.
enum WrittenPath {
    /// The path of a name.
    /// - Parameters:
    ///   - name: The name; `nil` for one that is not UTF-8.
    ///   - folder: The path of the folder, empty for the root.
    /// - Returns: The path.
    /// - Throws: ``WriteFault``: `EINVAL`, `ENAMETOOLONG`.
    static func path(of name: Name?, in folder: String) throws(WriteFault) -> FilePath {
        guard let name = name?.wrappedValue else { throw WriteFault(EINVAL) }
        guard name.utf8.count <= FilePath.partByteCountMax,
            folder.utf8.count + 1 + name.utf8.count <= FilePath.byteCountMax
        else { throw WriteFault(ENAMETOOLONG) }
        guard folder.isEmpty || FilePath(folder) != nil, let path = FilePath(name, in: FilePath(folder)) else {
            throw WriteFault(EINVAL)
        }
        // It would not be shown.
        guard path.isShown else { throw WriteFault(ENAMETOOLONG) }
        return path
    }
}
