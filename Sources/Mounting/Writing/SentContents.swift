internal import FileRecords

/// The digests of the contents that this mount has uploaded.
///
/// Where the answer to a write was lost, the next attempt uploads the same bytes again, and the record has the content of the first one. A digest
/// that the record states does not show that: it is the word of its writer.
struct SentContents: Sendable, Hashable {
    /// The maximum number of contents that are remembered: the answers to the last writes alone can be lost.
    static let countMax = 4_096

    private var digests: [String: FileDigest] = [:]
    /// The contents in the order of their uploads, from ``next`` on, and around.
    private var order: [String] = []
    private var next = 0

    /// The digest of a content; `nil` where this mount did not upload it, or long ago.
    func digest(of asset: String) -> FileDigest? { digests[asset] }

    /// Takes note of an upload.
    mutating func note(_ digest: FileDigest, of asset: String) {
        guard digests.updateValue(digest, forKey: asset) == nil else { return }
        guard order.count == Self.countMax else {
            order.append(asset)
            return
        }
        digests[order[next]] = nil
        order[next] = asset
        next = (next + 1) % Self.countMax
    }
}
