/// How much of an asset this device has.
package enum AssetState: Hashable, Sendable {
    /// A record names it, and it is not wanted here.
    case remote
    /// It is wanted, and nothing of it has arrived.
    case queued
    /// Some of it is here.
    case partial(percent: Int)
    /// All of it is here.
    case present
    /// All of it was here, and was dropped on request.
    case evicted
    /// It is wanted, and no device that may have it is connected.
    case unresolved
    /// It is wanted, and each connected device that may have it has answered that it lacks it.
    case missing
}
