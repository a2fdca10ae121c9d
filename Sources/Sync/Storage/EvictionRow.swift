package import Wire

/// The attempt of this device to evict a payload: while there is one, the device promises the payload to no device.
package struct EvictionRow: Hashable, Sendable {
    /// The payload.
    package let payload: PayloadID
    /// The number of the attempt, which no other attempt of the process has.
    package let attempt: UInt64

    /// Describes an attempt.
    /// - Parameters: as the properties of the same names.
    package init(payload: PayloadID, attempt: UInt64) {
        (self.payload, self.attempt) = (payload, attempt)
    }
}
