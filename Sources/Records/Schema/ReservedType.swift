/// Types of records that daemons write by themselves, in zones of applications: no program gives a record such a type, and no
/// schema speaks of them.
package enum ReservedType {
    /// The prefix of the reserved types' names.
    package static let prefix = "kairan."
    /// A message, or a record about one.
    package static let message = prefix + "message"
    /// A device's receipt for a message that it holds.
    package static let receipt = prefix + "receipt"
    /// A device's key that messages are sealed to.
    package static let prekey = prefix + "prekey"
    /// The relays where an account's devices find the parcels that are left for them.
    package static let relays = prefix + "relays"

    /// Whether a type's name is for daemons alone.
    package static func isReserved(_ type: String) -> Bool {
        type.utf8.starts(with: prefix.utf8)
    }
}
