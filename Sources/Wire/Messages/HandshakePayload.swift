/// The payload of the handshake's second and third message, in which both sides describe themselves.
///
/// ```
/// +-------------------+--------------+--------------+-------------------+-----------+-----------------------+
/// | certificate bytes | account 32 B | count varint | count × head 32 B | boot 16 B | wall varint | port 2 B |
/// +-------------------+--------------+--------------+-------------------+-----------+-----------------------+
///   heads strictly ascending
/// ```
package struct HandshakePayload: Hashable, Sendable {
    /// The sender's encoded `SignedDeviceCertificate`.
    package let certificate: [UInt8]
    /// The account the sender belongs to.
    package let account: AccountID
    /// The heads of the sender's copy of its account log, ascending, at most 64.
    package let accountHeads: [Hash]
    /// 16 random bytes of the sender's process: two sessions of one boot are the same peer.
    package let boot: [UInt8]
    /// The sender's wall clock in milliseconds since 1970, to measure skew.
    package let wallMilliseconds: UInt64
    /// The port at which the sender accepts connections; 0 = none.
    package let listenPort: UInt16

    /// Makes a payload, and sorts the heads.
    /// - Parameters: as the properties of the same names.
    /// - Precondition: `boot` has 16 bytes.
    package init(
        certificate: [UInt8],
        account: AccountID,
        accountHeads: [Hash],
        boot: [UInt8],
        wallMilliseconds: UInt64,
        listenPort: UInt16
    ) {
        precondition(boot.count == Self.bootByteCount, "a boot identity has 16 bytes")
        self.certificate = certificate
        self.account = account
        self.accountHeads = accountHeads.inWireOrder()
        self.boot = boot
        self.wallMilliseconds = wallMilliseconds
        self.listenPort = listenPort
    }

    /// How many bytes a boot's identity has.
    package static let bootByteCount = 16
}

extension HandshakePayload: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeBytes(certificate)
        writer.write(account)
        writer.writeList(accountHeads)
        writer.writeFixed(boot, count: Self.bootByteCount)
        writer.writeVarint(wallMilliseconds)
        writer.writeByte(UInt8(truncatingIfNeeded: listenPort >> 8))
        writer.writeByte(UInt8(truncatingIfNeeded: listenPort))
    }

    package init(from reader: inout WireReader) throws(WireError) {
        certificate = try reader.readBytes(maximum: Limits.certificateByteCountMax)
        account = try AccountID(from: &reader)
        accountHeads = try reader.readAscending(
            maximum: Limits.accountHeadCountMax,
            itemByteCountMin: Digest32.byteCount
        )
        boot = try reader.readFixed(Self.bootByteCount)
        wallMilliseconds = try reader.readVarint()
        let high = try reader.readByte()
        listenPort = UInt16(high) << 8 | UInt16(try reader.readByte())
    }
}
