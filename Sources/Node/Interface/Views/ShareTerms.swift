package import Wire

/// The terms of a right that is to be granted.
package struct ShareTerms: Sendable, Hashable {
    /// The access level.
    package var level: AccessLevel
    /// The number of times in a row that it may be delegated, at most 7; 0 = not at all.
    package var delegationDepth: UInt8
    /// The only record types that may be written, at most 16; empty = all.
    package var recordTypes: [String]
    /// The prefix of the names of records that may be written.
    package var namePrefix: String
    /// The lifetime, from now; `nil` = until the right is revoked.
    package var lifetimeMilliseconds: UInt64?

    /// States terms; only the level is required.
    package init(
        level: AccessLevel,
        delegationDepth: UInt8 = 0,
        recordTypes: [String] = [],
        namePrefix: String = "",
        lifetimeMilliseconds: UInt64? = nil
    ) {
        self.level = level
        self.delegationDepth = delegationDepth
        self.recordTypes = recordTypes
        self.namePrefix = namePrefix
        self.lifetimeMilliseconds = lifetimeMilliseconds
    }
}
