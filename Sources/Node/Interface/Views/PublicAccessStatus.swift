package import Wire

/// What those may do in a zone who hold no right, and how they come to it.
package struct PublicAccessStatus: Sendable, Hashable {
    /// What they may do.
    package var access: PublicAccess
    /// What opens the zone for them; `nil` while not everybody may read it.
    package var link: String?

    /// Makes a status.
    package init(access: PublicAccess, link: String?) {
        self.access = access
        self.link = link
    }
}
