package import Wire

/// A change to the rights of accounts without a capability; `nil` leaves a right unchanged.
package struct PublicAccessChange: Sendable, Hashable {
    /// The rights of every account on the network.
    package var world: PublicRights?
    /// The rights of every account that is known.
    package var authenticated: PublicRights?
    /// The rights to a record of the account that it names as its creator.
    package var creator: PublicRights?

    /// Makes a change.
    package init(world: PublicRights? = nil, authenticated: PublicRights? = nil, creator: PublicRights? = nil) {
        self.world = world
        self.authenticated = authenticated
        self.creator = creator
    }

    /// Returns the rights after the change.
    func applied(to access: PublicAccess) -> PublicAccess {
        PublicAccess(
            world: world ?? access.world,
            authenticated: authenticated ?? access.authenticated,
            creator: creator ?? access.creator
        )
    }
}
