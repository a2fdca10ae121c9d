import Identity
import Wire

// What a device may write, by its role.
extension Committer {
    /// Whether this device may write.
    ///
    /// A removed one may: what it writes counts nowhere else until it is paired anew.
    package var mayWrite: Bool { (account.devices[device]?.role ?? .full) == .full }
}
