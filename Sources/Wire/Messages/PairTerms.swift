/// States the rights that the receiver will have, before it is added; it asks again if it agrees.
///
/// ```
/// +--------+
/// | role 1 |
/// +--------+
/// ```
package struct PairTerms: Hashable, Sendable {
    /// The role that the receiver would get.
    package var role: DeviceRole

    /// Makes a message.
    package init(role: DeviceRole) {
        self.role = role
    }
}

extension PairTerms: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(role)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        role = try DeviceRole(from: &reader)
    }
}
