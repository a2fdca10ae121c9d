/// Hands a right to an account.
///
/// ```
/// +------------------+
/// | SignedCapability |
/// +------------------+
/// ```
package struct Grant: Hashable, Sendable {
    /// The right.
    package let capability: SignedCapability

    /// Hands on a right.
    package init(_ capability: SignedCapability) {
        self.capability = capability
    }
}

extension Grant: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(capability)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        capability = try SignedCapability(from: &reader)
    }
}
