package import Wire

/// Capabilities whose signatures were checked before, by id.
///
/// An id fixes the bytes of a capability and of its signature, so the verdict on the two is the same for ever: when a
/// zone's control log is resolved again, hundreds of signatures need no further verification. The validity of a
/// capability is not cached here; it is decided each time.
///
/// Both tables are bounded, and apart: a peer that presents nonsense pushes out other nonsense.
package struct SignatureMemory: Sendable {
    private var valid: RecencyMap<Hash, VerifiedCapability>
    private var invalid: RecencyMap<Hash, Bool>
    /// The number of signatures checked, for measurements and tests.
    package private(set) var checkCount: UInt64 = 0

    /// Makes an empty memory.
    /// - Parameters:
    ///   - validCount: The number of valid ones that are remembered, at least 1; some zones of a hundred participants
    ///     have a few thousand.
    ///   - invalidCount: The number of invalid ones that are remembered, at least 1.
    package init(validCount: Int = 4_096, invalidCount: Int = 1_024) {
        valid = RecencyMap(capacity: validCount)
        invalid = RecencyMap(capacity: invalidCount)
    }

    /// Checks the signature of a capability, or remembers that it was checked.
    /// - Parameter signed: The capability.
    /// - Returns: `nil` if the signature is not the signer's.
    package mutating func verify(_ signed: SignedCapability) -> VerifiedCapability? {
        let unverified = UnverifiedCapability(signed)
        if let known = valid.use(unverified.id) { return known }
        if invalid.use(unverified.id) != nil { return nil }
        checkCount &+= 1
        do {
            let verified = try VerifiedCapability(unverified)
            valid.insert(verified, for: unverified.id)
            return verified
        } catch {
            invalid.insert(true, for: unverified.id)
            return nil
        }
    }
}
