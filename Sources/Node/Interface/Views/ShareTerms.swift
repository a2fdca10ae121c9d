package import Wire

/// A right that is to be handed to somebody.
package struct ShareTerms: Sendable, Hashable {
    /// What may be done.
    package var level: AccessLevel
    /// How often in a row it may be handed on, at most 7; 0 = not at all.
    package var delegationDepth: UInt8
    /// The only record types that may be written, at most 16; empty = all.
    package var recordTypes: [String]
    /// What the names of records begin with that may be written.
    package var namePrefix: String
    /// How long it is good, from now; `nil` = until it is taken back.
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
