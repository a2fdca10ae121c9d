package import Wire

/// The keys by which the devices of an account find and call each other, as far as one of them has them: the present one, and those
/// that devices which were off may still call by.
package struct FleetKeyOrder: Sendable {
    /// The present key.
    package let present: FleetKey
    /// The others, the last one that was retired first.
    package let earlier: [FleetKey]

    /// By how many earlier keys an address is tried.
    private static let calledCountMax = 3

    /// Puts keys in order.
    /// - Parameters:
    ///   - keyring: The keys.
    ///   - fleet: The keys' state in the account log.
    package init(_ keyring: AccountKeyring, _ fleet: FleetState) {
        let present = keyring.fleetKey(fleet)
        self.present = present
        earlier = keyring.fleetKeys.filter { $0.entry != present.entry }.lastRetiredFirst
    }

    /// The entries that made the keys.
    package var entries: [Hash] { [present.entry] + earlier.map(\.entry) }

    /// Earlier keys that are answered.
    package var answered: [FleetKey] { earlier.filter(\.isAnswered) }

    /// Earlier keys by which it is worth calling where no device answers to the present one.
    package var called: [FleetKey] { Array(answered.prefix(Self.calledCountMax)) }

    /// The key that devices are handed which call by an earlier one; `nil` while the present key is the one that all have.
    package var handed: FleetSecret? {
        present.entry.isZero ? nil : FleetSecret(entry: present.entry, key: present.export().key)
    }
}

extension [FleetKey] {
    /// Retired keys, the last one that was retired first.
    var lastRetiredFirst: [FleetKey] {
        sorted { left, right in
            guard let one = left.retirement, let other = right.retirement else { return left.retirement == nil }
            return one < other
        }
    }
}
