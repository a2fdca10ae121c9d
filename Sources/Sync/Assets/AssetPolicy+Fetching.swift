extension AssetPolicy {
    /// Whether a device fetches content of a size without being asked for it.
    /// - Parameter byteCount: Bytes of the content.
    /// - Returns: False for all content under the policies that wait for a request.
    package func fetches(_ byteCount: UInt64) -> Bool {
        switch self {
        case .never, .onDemand: false
        case .upTo(let limit): byteCount <= limit
        case .always: true
        }
    }
}
