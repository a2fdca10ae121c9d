/// Finds secrets in bytes that an outsider sees: values of records, keys, and identifiers that stay the same.
///
/// Every secret in the list is too long to come about by chance, so one occurrence is a leak.
package struct CanaryFinder: Sendable {
    private struct Canary: Sendable {
        let bytes: [UInt8]
        let kind: String
    }

    /// The minimum length of a secret in bytes: a shorter one comes about by chance, or is not worth hiding.
    package static let byteCountMin = 10
    private static let prefixByteCount = 8

    /// Canaries by their first eight bytes.
    private var canaries: [UInt64: [Canary]] = [:]
    /// One bit for each hash of such a prefix, which saves the look-up in the dictionary at most places.
    private var filter = [UInt64](repeating: 0, count: 1 << 10)

    /// Looks for nothing.
    package init() {}

    /// The number of canaries.
    package var count: Int { canaries.values.reduce(0) { $0 + $1.count } }

    /// Adds a secret, unless it is too short or already known.
    /// - Parameters:
    ///   - bytes: The secret.
    ///   - kind: A description of the secret, for people.
    package mutating func add(_ bytes: [UInt8], as kind: String) {
        guard bytes.count >= Self.byteCountMin else { return }
        let prefix = bytes.prefix(Self.prefixByteCount).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard !(canaries[prefix] ?? []).contains(where: { $0.bytes == bytes }) else { return }
        canaries[prefix, default: []].append(Canary(bytes: bytes, kind: kind))
        let bit = Self.bit(of: prefix)
        filter[bit >> 6] |= 1 << UInt64(bit & 63)
    }

    /// Searches bytes for secrets.
    /// - Parameter bytes: The bytes that an outsider sees.
    /// - Returns: The description of the first secret found; `nil` if there is none.
    /// - Complexity: O(bytes).
    package func find(in bytes: [UInt8]) -> String? {
        guard !canaries.isEmpty, bytes.count >= Self.byteCountMin else { return nil }
        var window: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            window = window << 8 | UInt64(byte)
            let bit = Self.bit(of: window)
            guard filter[bit >> 6] & (1 << UInt64(bit & 63)) != 0, let found = canaries[window] else { continue }
            let rest = bytes[max(0, index + 1 - Self.prefixByteCount)...]
            if let canary = found.first(where: { rest.starts(with: $0.bytes) }) { return canary.kind }
        }
        return nil
    }

    private static func bit(of prefix: UInt64) -> Int { Int((prefix &* 0x9E37_79B9_7F4A_7C15) >> 48) }
}
