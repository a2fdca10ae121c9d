package import Wire

/// The statement of another device whether it could connect to this one.
package struct DeviceStatement: Hashable, Sendable {
    /// The device.
    package var device: DeviceID
    /// Its name, as its account gives it.
    package var name: String
    /// Whether it belongs to the account of this device: the others decide nothing.
    package var isOwn: Bool
    /// The outcome of its attempt.
    package var outcome: ReachOutcome
    /// The age of the statement, in milliseconds.
    package var ageMilliseconds: UInt64
}
