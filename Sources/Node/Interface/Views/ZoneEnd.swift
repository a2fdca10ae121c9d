/// The reason why a zone is no longer here.
package struct ZoneEnd: Sendable, Equatable {
    /// The event that ended the zone here.
    package enum Kind: String, Sendable, CaseIterable {
        /// Its owner deleted it, on all devices.
        case deleted
        /// This account left it, or handed it over and kept no right; other accounts may have it.
        case left
        /// It belongs to an account that this device has left; its records continue in a zone of the present one.
        case accountChanged = "account_changed"
    }

    /// The event.
    package var kind: Kind
    /// The reason that its owner gave; `nil` if there is none.
    package var reason: String?

    /// Makes an end.
    package init(_ kind: Kind, reason: String? = nil) {
        self.kind = kind
        self.reason = reason
    }
}
