/// Why a zone that was here is not there any more.
package struct ZoneEnd: Sendable, Equatable {
    /// What happened.
    package enum Kind: String, Sendable, CaseIterable {
        /// Its owner deleted it, on all devices.
        case deleted
        /// This account left it, or handed it over and kept nothing; others may have it.
        case left
        /// It belongs to an account that this device has left; its records go on in a zone of the present one.
        case accountChanged = "account_changed"
    }

    /// What happened.
    package var kind: Kind
    /// What its owner gave as the reason; `nil` if nobody gave one.
    package var reason: String?

    /// Makes an end.
    package init(_ kind: Kind, reason: String? = nil) {
        self.kind = kind
        self.reason = reason
    }
}
