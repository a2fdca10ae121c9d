extension ChannelCore {
    /// Bytes arrived.
    /// - Parameters:
    ///   - bytes: The bytes, in pieces of any size.
    ///   - events: Receives the resulting events.
    /// - Complexity: O(bytes).
    package mutating func received(_ bytes: [UInt8], into events: inout [ChannelEvent]) {
        bytes.withUnsafeBytes { received($0, into: &events) }
    }

    /// Bytes arrived.
    /// - Parameters:
    ///   - bytes: The bytes, in pieces of any size.
    ///   - events: Receives the resulting events.
    /// - Complexity: O(bytes).
    package mutating func received(_ bytes: ArraySlice<UInt8>, into events: inout [ChannelEvent]) {
        bytes.withUnsafeBytes { received($0, into: &events) }
    }
}
