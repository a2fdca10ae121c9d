/// The write rights of a capability: the part of it that every replica checks for each operation.
///
/// ```
/// +--------------+---------+---------+
/// | account 32 B | level 1 | caveats |   of the caveats only types and name prefix matter
/// +--------------+---------+---------+
/// ```
package struct WriteScope: Hashable, Sendable {
    /// The account that the operations belong to: the capability's audience.
    package let account: AccountID
    /// The audience's level of access.
    package let level: AccessLevel
    /// The caveats, which limit the records that the audience may write.
    package let caveats: Caveats

    /// Takes the write rights of a capability.
    package init(_ capability: Capability) {
        account = capability.audience
        level = capability.rights.level
        caveats = capability.caveats
    }
}

extension WriteScope: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(account)
        writer.write(level)
        writer.write(caveats)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        account = try AccountID(from: &reader)
        level = try AccessLevel(from: &reader)
        caveats = try Caveats(from: &reader)
    }
}
