/// The decision of a relay about the key and the database of parcels that it finds: each of them proves that the other one was there.
package enum RelayStart: Hashable, Sendable {
    /// Make the missing files, and go on.
    case go
    /// Change nothing and do not start.
    case refuse(Refusal)

    /// Why a relay does not start.
    package enum Refusal: Hashable, Sendable, CaseIterable {
        /// The key is there, and the database is gone.
        case storeMissing
        /// The database is there, and the key is missing.
        case keyMissing
    }

    /// The database of parcels as it was found.
    package enum StoreState: Hashable, Sendable, CaseIterable {
        /// There is none, or an empty file.
        case missing
        /// It has admitted no account yet.
        case unused
        /// It has admitted an account.
        case used
    }

    /// Decides how a relay starts, before anything is made.
    /// - Parameters:
    ///   - hasKey: Whether `relay.key` is there.
    ///   - store: The database as it was found.
    ///   - isLossAccepted: Whether a person wants to go on with the files that are left.
    /// - Returns: The decision.
    package static func decide(hasKey: Bool, store: StoreState, isLossAccepted: Bool) -> RelayStart {
        guard !isLossAccepted else { return .go }
        // The database is there before the key is, so a start that was interrupted leaves neither of the two refusals.
        return switch (hasKey, store) {
        case (true, .missing): .refuse(.storeMissing)
        case (false, .used): .refuse(.keyMissing)
        case (true, .unused), (true, .used), (false, .missing), (false, .unused): .go
        }
    }
}

extension RelayStart.Refusal {
    /// Returns the fault, the place and the way out.
    /// - Parameter directory: The state directory.
    /// - Returns: A sentence without a full stop.
    package func words(in directory: String) -> String {
        let accept = "`kairand accept-loss --state \(directory)`"
        return switch self {
        case .storeMissing:
            "\(directory)/store/relay.db is gone, with the parcels that this relay kept and its admissions; nothing was"
                + " made in its place. Restore it. If it is lost for good, \(accept) begins with an empty one, and the"
                + " admitted accounts need new links"
        case .keyMissing:
            "\(directory)/relay.key is missing, while store/relay.db is there; nothing was made in its place. Restore it."
                + " If it is lost for good, \(accept) lets the relay take another key, and the admitted accounts need new"
                + " links"
        }
    }
}
