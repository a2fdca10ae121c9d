/// Types of records that daemons write by themselves, in zones of applications: no program gives a record such a type, and no
/// schema speaks of them.
package enum ReservedType {
    /// What their names begin with.
    package static let prefix = "kairan."
    /// A message, or something that is said about one.
    package static let message = prefix + "message"
    /// What a device says of a message that it has.
    package static let receipt = prefix + "receipt"
    /// What a device wants messages to be sealed to.
    package static let prekey = prefix + "prekey"
    /// Where an account's devices find what is left for them.
    package static let relays = prefix + "relays"

    /// Whether a type's name is for daemons alone.
    package static func isReserved(_ type: String) -> Bool {
        type.utf8.starts(with: prefix.utf8)
    }
}
