package import Wire

/// Chains that were verified before, and capabilities that were refused, by id.
///
/// An id fixes the bytes of a capability and, through the parent's id in them, of all its ancestors. So the signatures
/// and the narrowing of a chain are decided once: a hit costs no signature check, a chain with cached ancestors one for
/// each new step, and a refused capability one at most, and none while its refusal is remembered. What may change is
/// asked each time: the owner, and whose devices the signers are.
///
/// Both tables are bounded, and apart: whoever presents nonsense pushes out other nonsense. What was used least recently
/// makes way; it costs its signature checks again, nothing else.
package struct ChainCache: Sendable {
    /// How much is remembered.
    package struct Bounds: Sendable {
        /// Chains: a zone of a hundred participants has some hundreds.
        package var chainCount: Int
        /// Refused capabilities.
        package var refusalCount: Int

        /// States bounds, each at least 1.
        package init(chainCount: Int = 2_048, refusalCount: Int = 1_024) {
            self.chainCount = chainCount
            self.refusalCount = refusalCount
        }
    }

    /// What was done so far, for measurements and tests.
    package struct Counts: Hashable, Sendable {
        /// Questions that were answered from memory, refusals included.
        package var hits: UInt64 = 0
        /// Signatures that were checked.
        package var signatureChecks: UInt64 = 0
        /// Chains that made way for others.
        package var evictedChains: UInt64 = 0
        /// Refusals that made way for others.
        package var evictedRefusals: UInt64 = 0
    }

    private var chains: RecencyMap<Hash, CapabilityChain>
    private var refusals: RecencyMap<Hash, CapabilityError>
    private var hitCount: UInt64 = 0
    private var signatureCheckCount: UInt64 = 0

    /// Makes an empty cache.
    package init(_ bounds: Bounds = Bounds()) {
        chains = RecencyMap(capacity: bounds.chainCount)
        refusals = RecencyMap(capacity: bounds.refusalCount)
    }

    /// What was done so far.
    package var counts: Counts {
        Counts(
            hits: hitCount,
            signatureChecks: signatureCheckCount,
            evictedChains: chains.evictedCount,
            evictedRefusals: refusals.evictedCount
        )
    }

    /// The chain that ends in a capability.
    ///
    /// Cheap questions come first and signatures last, from the root on: a stranger who signs with keys of its own fails
    /// before any signature is checked.
    /// - Parameters:
    ///   - leaf: The capability.
    ///   - owner: Who owns the resource.
    ///   - parents: A capability by its id, from wherever tokens are kept or came from; any answer is checked.
    ///   - standing: What an account makes of a device; `nil` for an account whose log is not here.
    /// - Returns: The chain, with signers that are devices of the issuers.
    /// - Throws: ``CapabilityError``, but for times, which ``CapabilityChain/checkTime(_:)`` looks at.
    /// - Complexity: O(steps); with one signature check for each step that is not cached.
    package mutating func chain(
        endingIn leaf: UnverifiedCapability,
        owner: AccountID,
        parents: (_ id: Hash) -> UnverifiedCapability?,
        standing: SignerStanding
    ) throws(CapabilityError) -> CapabilityChain {
        if let chain = chains.use(leaf.id) {
            hitCount &+= 1
            guard chain.owner == owner else { throw .notRoot }
            try chain.checkSigners(standing)
            return chain
        }
        if let refusal = refusals.use(leaf.id) {
            hitCount &+= 1
            throw refusal
        }
        do {
            return try newChain(endingIn: leaf, owner: owner, parents: parents, standing: standing)
        } catch {
            if error.isLasting { refusals.insert(error, for: leaf.id) }
            throw error
        }
    }

    private mutating func newChain(
        endingIn leaf: UnverifiedCapability,
        owner: AccountID,
        parents: (_ id: Hash) -> UnverifiedCapability?,
        standing: SignerStanding
    ) throws(CapabilityError) -> CapabilityChain {
        var (base, steps) = try newSteps(endingIn: leaf, parents: parents)
        guard (base?.owner ?? steps[0].capability.issuer) == owner else { throw .notRoot }
        try base?.checkSigners(standing)
        var above = base?.capability
        for step in steps {
            if let above { try step.capability.checkNarrows(above) }
            above = step.capability
        }
        for step in steps {
            try step.capability.checkSigner(standing)
        }
        for step in steps {
            let verified = try verify(step)
            let chain =
                if let base {
                    try CapabilityChain(base, verified)
                } else {
                    try CapabilityChain(root: verified, owner: owner)
                }
            chains.insert(chain, for: step.id)
            base = chain
        }
        guard let base else { throw .notRoot }
        return base
    }

    /// The capabilities from below a cached chain, or from the root, down to the leaf; at least one.
    private mutating func newSteps(
        endingIn leaf: UnverifiedCapability,
        parents: (_ id: Hash) -> UnverifiedCapability?
    ) throws(CapabilityError) -> (base: CapabilityChain?, steps: [UnverifiedCapability]) {
        var upwards = [leaf]
        var parent = leaf.capability.parent
        while !parent.isZero {
            guard upwards.count < CapabilityChain.stepCountMax else { throw .tooLong }
            if let refusal = refusals.use(parent) { throw refusal }
            if let base = chains.use(parent) {
                guard base.steps.count + upwards.count <= CapabilityChain.stepCountMax else { throw .tooLong }
                return (base, upwards.reversed())
            }
            guard let next = parents(parent), next.id == parent else { throw .missingParent(parent) }
            upwards.append(next)
            parent = next.capability.parent
        }
        return (nil, upwards.reversed())
    }

    private mutating func verify(_ step: UnverifiedCapability) throws(CapabilityError) -> VerifiedCapability {
        signatureCheckCount &+= 1
        do {
            return try VerifiedCapability(step)
        } catch {
            // The step itself, and not only the leaf below: others may come with it.
            refusals.insert(error, for: step.id)
            throw error
        }
    }
}
