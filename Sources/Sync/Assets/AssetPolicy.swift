/// Which assets of a zone this device fetches by itself.
package enum AssetPolicy: Hashable, Sendable {
    /// None, and none when a program asks for one.
    case never
    /// Each when a program asks for it.
    case onDemand
    /// Those of at most so many bytes, and each other one when a program asks for it.
    case upTo(UInt64)
    /// All of them.
    case always
}
