package import Identity
package import Wire

/// A right as it was delegated from the owner: verified capabilities, the owner's first, of which each gives no more
/// than the one before.
///
/// Holding one is the proof of the signatures and of the narrowing, and that the first was issued by
/// ``CapabilityChain/owner``. Because everything narrows, the last capability states everything that the audience may
/// do. Callers check for each use whether that owner is the resource's, whether the signers are devices of the
/// issuers, and the time: these change. The control log decides whether the grants of the capabilities are effective.
package struct CapabilityChain: Hashable, Sendable {
    /// The capabilities, root first; at least one.
    package let steps: [VerifiedCapability]
    /// The last capability, which the chain proves.
    package let leaf: VerifiedCapability
    /// The account that issued the root.
    package let owner: AccountID

    /// The maximum number of capabilities in a chain.
    package static let stepCountMax = Int(Limits.delegationDepthMax) + 1

    /// Joins verified capabilities.
    /// - Parameters:
    ///   - steps: The capabilities, root first.
    ///   - owner: The owner of the resource.
    /// - Throws: ``CapabilityError``: `tooLong`, `notRoot` (for an empty list too), or the fault of the first step
    ///   that is wrong: `wrongParent`, `wrongResource`, `wrongAudience`, `widened`.
    /// - Complexity: O(steps).
    package init(_ steps: [VerifiedCapability], owner: AccountID) throws(CapabilityError) {
        guard steps.count <= Self.stepCountMax else { throw .tooLong }
        guard let first = steps.first else { throw .notRoot }
        var chain = try CapabilityChain(root: first, owner: owner)
        for step in steps.dropFirst() {
            chain = try CapabilityChain(chain, step)
        }
        self = chain
    }

    /// Begins a chain.
    /// - Throws: ``CapabilityError/notRoot``.
    package init(root: VerifiedCapability, owner: AccountID) throws(CapabilityError) {
        guard root.capability.isRoot, root.capability.issuer == owner else { throw .notRoot }
        steps = [root]
        leaf = root
        self.owner = owner
    }

    /// Goes one step on.
    /// - Parameters:
    ///   - parent: The chain so far.
    ///   - leaf: The next capability.
    /// - Throws: ``CapabilityError``: `tooLong`, `wrongParent`, `wrongResource`, `wrongAudience`, `widened`.
    package init(_ parent: CapabilityChain, _ leaf: VerifiedCapability) throws(CapabilityError) {
        guard parent.steps.count < Self.stepCountMax else { throw .tooLong }
        guard leaf.capability.parent == parent.leaf.id else { throw .wrongParent }
        try leaf.capability.checkNarrows(parent.leaf.capability)
        steps = parent.steps + [leaf]
        self.leaf = leaf
        owner = parent.owner
    }

    /// The right that is left at the end.
    package var capability: Capability { leaf.capability }

    /// Whether a capability is one of the steps: with it, the whole chain ends.
    /// - Complexity: O(steps).
    package func contains(_ id: Hash) -> Bool {
        steps.contains { $0.id == id }
    }

    /// Makes sure that each capability was signed by a device of its issuer.
    ///
    /// A device that was removed passes: its cuts decide how much of its operations is effective.
    /// - Parameter standing: The standing of a device in an account; `nil` for an account whose log is not here.
    /// - Throws: ``CapabilityError/unknownAccount(_:)``, ``CapabilityError/unknownSigner(_:)``.
    /// - Complexity: O(steps).
    package func checkSigners(_ standing: SignerStanding) throws(CapabilityError) {
        for step in steps {
            try step.capability.checkSigner(standing)
        }
    }

    /// Makes sure that a moment lies in the time of validity; no ancestor's time is shorter.
    /// - Parameter now: Milliseconds since 1970, by the asker's own clock.
    /// - Throws: ``CapabilityError/notYetValid(at:)``, ``CapabilityError/expired(at:)``.
    package func checkTime(_ now: UInt64) throws(CapabilityError) {
        try capability.caveats.checkTime(now)
    }
}

/// Returns the standing of a device in an account; `nil` for an account whose log is not here.
package typealias SignerStanding = (_ device: DeviceID, _ account: AccountID) -> AccountState.Standing?

extension Capability {
    /// Makes sure that the signer is, or was, a device of the issuer.
    /// - Parameter standing: The standing of a device in an account; `nil` for an account whose log is not here.
    /// - Throws: ``CapabilityError/unknownAccount(_:)``, ``CapabilityError/unknownSigner(_:)``.
    package func checkSigner(_ standing: SignerStanding) throws(CapabilityError) {
        switch standing(signer, issuer) {
        case .active, .removed: return
        case .unknown: throw .unknownSigner(signer)
        case nil: throw .unknownAccount(issuer)
        }
    }
}
