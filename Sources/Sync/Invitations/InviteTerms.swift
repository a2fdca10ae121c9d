package import Wire

/// The rights that an invitation grants, and the number of accounts that may join.
package struct InviteTerms: Hashable, Sendable {
    /// The most accounts that one invitation may admit.
    package static let usesMax: UInt32 = 1_000

    /// The rights of an account that joins.
    package var rights: Rights
    /// The caveats that narrow the rights.
    package var caveats: Caveats
    /// The number of accounts that may join; at least one.
    package var uses: UInt32
    /// The first moment at which no account can join any more, in milliseconds since 1970.
    package var expires: UInt64
    /// Whether a person has to approve each account.
    package var needsApproval: Bool

    /// States terms.
    /// - Parameters: as the properties of the same names.
    package init(
        rights: Rights,
        caveats: Caveats = Caveats(),
        uses: UInt32 = 1,
        expires: UInt64,
        needsApproval: Bool = false
    ) {
        self.rights = rights
        self.caveats = caveats
        self.uses = uses
        self.expires = expires
        self.needsApproval = needsApproval
    }
}
