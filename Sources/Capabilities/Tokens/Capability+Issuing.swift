package import Wire

extension Capability {
    /// The audience of a new capability, its rights and its caveats.
    package struct Terms: Hashable, Sendable {
        /// The account that receives the right.
        package var audience: AccountID
        /// The rights of the audience.
        package var rights: Rights
        /// The caveats that narrow the rights.
        package var caveats: Caveats

        /// States terms.
        package init(audience: AccountID, rights: Rights, caveats: Caveats = Caveats()) {
            self.audience = audience
            self.rights = rights
            self.caveats = caveats
        }
    }

    /// Issues a root capability: the owner of a resource grants a right to it.
    /// - Parameters:
    ///   - terms: The audience, its rights and its caveats.
    ///   - resource: The resource that the right is for.
    ///   - owner: The owner of the resource.
    ///   - signer: The owner's device.
    ///   - generator: The source of the nonce.
    ///   - sign: Signs with the device's key, such as `DeviceIdentity.sign(_:context:)`.
    /// - Returns: The capability.
    /// - Throws: as ``Capability/signed(by:)``.
    package static func issue(
        _ terms: Terms,
        resource: CapabilityResource,
        owner: AccountID,
        signer: DeviceID,
        using generator: inout some RandomNumberGenerator,
        sign: Signing<some Error>
    ) throws -> SignedCapability {
        let capability = Capability(
            resource: resource,
            issuer: owner,
            signer: signer,
            audience: terms.audience,
            rights: terms.rights,
            caveats: terms.caveats,
            parent: .zero,
            nonce: nonce(using: &generator)
        )
        return try capability.signed(by: sign)
    }

    /// Issues a part of a right that the issuer holds.
    /// - Parameters:
    ///   - terms: The audience, its rights and its caveats.
    ///   - parent: The right that the issuer holds.
    ///   - signer: The issuer's device.
    ///   - generator: The source of the nonce.
    ///   - sign: Signs with the device's key, such as `DeviceIdentity.sign(_:context:)`.
    /// - Returns: The capability.
    /// - Throws: ``CapabilityError/widened(_:)`` and ``CapabilityError/tooLong`` for terms that every receiver would
    ///   refuse; as ``Capability/signed(by:)``.
    package static func issue(
        _ terms: Terms,
        under parent: CapabilityChain,
        signer: DeviceID,
        using generator: inout some RandomNumberGenerator,
        sign: Signing<some Error>
    ) throws -> SignedCapability {
        guard parent.steps.count < CapabilityChain.stepCountMax else { throw CapabilityError.tooLong }
        let capability = Capability(
            resource: parent.capability.resource,
            issuer: parent.capability.audience,
            signer: signer,
            audience: terms.audience,
            rights: terms.rights,
            caveats: terms.caveats,
            parent: parent.leaf.id,
            nonce: nonce(using: &generator)
        )
        try capability.checkNarrows(parent.capability)
        return try capability.signed(by: sign)
    }

    private static func nonce(using generator: inout some RandomNumberGenerator) -> [UInt8] {
        (0..<nonceByteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}
