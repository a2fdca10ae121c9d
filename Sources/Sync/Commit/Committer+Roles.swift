import Identity
import Wire

// The writes that a device's role allows.
extension Committer {
    /// Whether this device may write.
    ///
    /// A removed device may: its writes are effective nowhere else until it is paired again.
    package var mayWrite: Bool { (account.devices[device]?.role ?? .full) == .full }
}
