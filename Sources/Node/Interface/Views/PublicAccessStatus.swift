package import Wire

/// The rights of accounts without a capability in a zone, and the link that opens the zone for them.
package struct PublicAccessStatus: Sendable, Hashable {
    /// Their rights.
    package var access: PublicAccess
    /// The link that opens the zone for them; `nil` while not every account may read it.
    package var link: String?

    /// Makes a status.
    package init(access: PublicAccess, link: String?) {
        self.access = access
        self.link = link
    }
}
