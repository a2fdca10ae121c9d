package import Wire

/// What is said anew of those who hold no right; what is not said stays.
package struct PublicAccessChange: Sendable, Hashable {
    /// What everybody on the network may do.
    package var world: PublicRights?
    /// What everybody may do whose account is known.
    package var authenticated: PublicRights?
    /// What may be done with a record by who is named as its creator.
    package var creator: PublicRights?

    /// Says something anew.
    package init(world: PublicRights? = nil, authenticated: PublicRights? = nil, creator: PublicRights? = nil) {
        self.world = world
        self.authenticated = authenticated
        self.creator = creator
    }

    /// What holds afterwards.
    func applied(to access: PublicAccess) -> PublicAccess {
        PublicAccess(
            world: world ?? access.world,
            authenticated: authenticated ?? access.authenticated,
            creator: creator ?? access.creator
        )
    }
}
