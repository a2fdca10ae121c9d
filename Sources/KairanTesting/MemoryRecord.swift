import FoundationEssentials
import KairanClient
import KairanInterface
import Wire

/// A record, or the rest of a deleted one.
struct MemoryRecord: Sendable {
    /// The maximum size of a record in bytes, about that of the daemon.
    static let byteCountMax = 1_048_576

    var zone: String
    var name: String
    var type: String
    var fields: [BytewiseString: FieldValue] = [:]
    /// The position of the write that made this state; the version is derived from it.
    var position: UInt64
    /// The position in the feed: for a record that one request wrote several times that of the first write.
    var feedPosition: UInt64
    var isDeleted = false
    /// The only device.
    var device: String
    var modifiedMilliseconds: Int64
    var parent: String?
    /// Whether a record of this name had another type before.
    var isRetyped = false

    var version: String { Self.version(position) }

    static func version(_ position: UInt64) -> String {
        let digits = String(position, radix: 16)
        return String(repeating: "0", count: versionDigitCount - digits.count) + digits
    }

    private static let versionDigitCount = 32

    /// The write that a version names, which may be none that there was; `nil` for a text that is no version.
    static func position(_ version: String) -> UInt64? {
        guard version.utf8.count == versionDigitCount,
            version.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        return UInt64(version, radix: 16) ?? .max
    }

    /// The record as the interface shows it.
    var shown: Record { shown(with: nil) }

    /// The record as the interface shows it.
    /// - Parameter keys: The fields that are wanted; `nil` for all.
    /// - Returns: The record.
    func shown(with keys: [String]?) -> Record {
        let wanted = keys.map { Set($0.map { BytewiseString($0) }) }
        let values = fields.filter { wanted?.contains($0.key) ?? true }
        var record = Record(
            zone: zone,
            name: name,
            type: type,
            fields: NameDictionary(values.map { (key: $0.key.string, value: RecordValue($0.value)) }),
            version: version,
            isDeleted: isDeleted,
            createdBy: device,
            modifiedBy: device,
            modifiedAt: Date(milliseconds: modifiedMilliseconds)
        )
        record.parent = parent
        return record
    }
}
