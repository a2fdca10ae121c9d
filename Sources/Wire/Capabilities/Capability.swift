/// A right to something, handed from one account to another.
///
/// ```
/// +------+--------------------+-------------+-------------+---------------+--------+---------+
/// |  1   | CapabilityResource | issuer 32 B | signer 32 B | audience 32 B | Rights | Caveats |
/// +------+--------------------+-------------+-------------+---------------+--------+---------+
/// +-------------+------------+
/// | parent 32 B | nonce 16 B |
/// +-------------+------------+
/// ```
package struct Capability: Hashable, Sendable {
    /// The resource that the right is for.
    package let resource: CapabilityResource
    /// The account that grants the right.
    package let issuer: AccountID
    /// The device of the issuer that signs.
    package let signer: DeviceID
    /// The account that receives the right.
    package let audience: AccountID
    /// The rights of the audience.
    package let rights: Rights
    /// The caveats that narrow the rights.
    package let caveats: Caveats
    /// The id of the capability that this one is a part of; zero = a root, whose issuer owns the resource.
    package let parent: Hash
    /// 16 random bytes that make equal grants two capabilities.
    package let nonce: [UInt8]

    /// States a right.
    /// - Parameters: as the properties of the same names.
    /// - Precondition: the nonce has 16 bytes.
    package init(
        resource: CapabilityResource,
        issuer: AccountID,
        signer: DeviceID,
        audience: AccountID,
        rights: Rights,
        caveats: Caveats,
        parent: Hash,
        nonce: [UInt8]
    ) {
        precondition(nonce.count == Self.nonceByteCount, "a capability's nonce has 16 bytes")
        self.resource = resource
        self.issuer = issuer
        self.signer = signer
        self.audience = audience
        self.rights = rights
        self.caveats = caveats
        self.parent = parent
        self.nonce = nonce
    }

    /// The number of bytes of the nonce.
    package static let nonceByteCount = 16
    /// The format that this code writes and reads.
    package static let format: UInt8 = 1

    /// Whether it starts a chain.
    package var isRoot: Bool { parent.isZero }
}

extension Capability: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeByte(Self.format)
        writer.write(resource)
        writer.write(issuer)
        writer.write(signer)
        writer.write(audience)
        writer.write(rights)
        writer.write(caveats)
        writer.write(parent)
        writer.writeFixed(nonce, count: Self.nonceByteCount)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        try reader.readFormat(Self.format)
        resource = try CapabilityResource(from: &reader)
        issuer = try AccountID(from: &reader)
        signer = try DeviceID(from: &reader)
        audience = try AccountID(from: &reader)
        rights = try Rights(from: &reader)
        caveats = try Caveats(from: &reader)
        parent = try Hash(from: &reader)
        nonce = try reader.readFixed(Self.nonceByteCount)
    }
}
