/// What a capability lets its audience write: the part of it that every replica decides by, for each operation.
///
/// ```
/// +--------------+---------+---------+
/// | account 32 B | level 1 | caveats |   of the caveats only types and name prefix matter
/// +--------------+---------+---------+
/// ```
package struct WriteScope: Hashable, Sendable {
    /// Whose operations these are: the capability's audience.
    package let account: AccountID
    /// What the audience may do.
    package let level: AccessLevel
    /// Which records it reaches.
    package let caveats: Caveats

    /// What a capability lets its audience write.
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
