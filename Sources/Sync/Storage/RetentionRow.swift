package import Wire

/// The promise of this device to evict a payload not before a time, whichever devices have asked for it.
package struct RetentionRow: Hashable, Sendable {
    /// The payload.
    package let payload: PayloadID
    /// The end of the promise, in milliseconds since 1970.
    package let until: UInt64

    /// Describes a promise.
    /// - Parameters: as the properties of the same names.
    package init(payload: PayloadID, until: UInt64) {
        (self.payload, self.until) = (payload, until)
    }
}
