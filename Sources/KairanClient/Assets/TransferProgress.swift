/// The progress of an upload or a download.
public struct TransferProgress: Sendable, Hashable {
    /// The bytes that are done.
    public var byteCount: UInt64
    /// The bytes of the whole.
    public var total: UInt64

    /// Describes it.
    package init(byteCount: UInt64, total: UInt64) {
        (self.byteCount, self.total) = (byteCount, total)
    }
}
