package import Wire

extension Capability {
    /// Makes sure that this capability gives no more than the one that it claims to be a part of.
    ///
    /// It checks in this order, so that every replica gives the same reason: resource, audience, then as
    /// ``CapabilityError/Aspect`` lists them. Parent ids and signatures are not checked. "Gives no more" is
    /// transitive: a capability that narrows a part narrows the whole.
    /// - Parameter parent: The capability that is delegated.
    /// - Throws: ``CapabilityError/wrongResource``, ``CapabilityError/wrongAudience``,
    ///   ``CapabilityError/widened(_:)``.
    /// - Complexity: O(types + prefix).
    package func checkNarrows(_ parent: Capability) throws(CapabilityError) {
        guard resource == parent.resource else { throw .wrongResource }
        guard issuer == parent.audience else { throw .wrongAudience }
        guard parent.rights.canDelegate else { throw .widened(.delegation) }
        guard caveats.delegationDepth < parent.caveats.delegationDepth else { throw .widened(.depth) }
        guard rights.level <= parent.rights.level else { throw .widened(.level) }
        guard caveats.hasOnlyTypes(of: parent.caveats) else { throw .widened(.types) }
        guard caveats.hasOnlyNames(of: parent.caveats) else { throw .widened(.prefix) }
        guard caveats.beginning >= parent.caveats.beginning else { throw .widened(.notBefore) }
        guard caveats.end <= parent.caveats.end else { throw .widened(.expiry) }
    }
}

extension Caveats {
    /// Makes sure that a moment lies in the time of validity.
    /// - Parameter now: Milliseconds since 1970, by the asker's own clock.
    /// - Throws: ``CapabilityError/notYetValid(at:)``, ``CapabilityError/expired(at:)``.
    package func checkTime(_ now: UInt64) throws(CapabilityError) {
        if let notBefore, now < notBefore { throw .notYetValid(at: notBefore) }
        if let expires, now >= expires { throw .expired(at: expires) }
    }

    /// No list means every type: that is more than any list.
    fileprivate func hasOnlyTypes(of parent: Caveats) -> Bool {
        if parent.recordTypes.isEmpty { return true }
        return !recordTypes.isEmpty && recordTypes.allSatisfy { parent.allows(type: $0) }
    }

    fileprivate func hasOnlyNames(of parent: Caveats) -> Bool {
        parent.allows(name: namePrefix)
    }

    /// The first moment of validity; without `notBefore` it is 0.
    fileprivate var beginning: UInt64 { notBefore ?? 0 }

    /// An end that no other lies behind: "never" is later than the last moment that can be written.
    fileprivate var end: CaveatEnd { expires.map(CaveatEnd.at) ?? .never }
}

/// The end of a right.
///
/// Synthesised order: a moment comes before "never", also the last moment there is.
private enum CaveatEnd: Comparable {
    case at(UInt64)
    case never
}
