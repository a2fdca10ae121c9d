package import Wire

/// A token that admits machines: the number that it still admits, its end, and their role.
///
/// It may be valid for days, through restarts, so it uses the wall clock: a clock that goes back prolongs it, which
/// `PairingOffer` does not allow.
package struct EnrolmentOffer: Sendable, Equatable {
    /// The token that a machine shows.
    package let token: EnrolmentToken
    /// The role of the machines.
    package let role: DeviceRole
    /// The time at which it ends, in milliseconds since 1970.
    package let endMilliseconds: UInt64
    /// The number of machines that it still admits.
    package private(set) var usesLeft: UInt32

    /// Makes an offer.
    /// - Parameters:
    ///   - token: The token that a machine shows.
    ///   - role: The role of the machines.
    ///   - uses: The number of machines that it admits.
    ///   - endMilliseconds: The time at which it ends, in milliseconds since 1970.
    package init(token: EnrolmentToken, role: DeviceRole, uses: UInt32, endMilliseconds: UInt64) {
        self.token = token
        self.role = role
        usesLeft = uses
        self.endMilliseconds = endMilliseconds
    }

    /// Whether its time is over.
    package func isOver(at milliseconds: UInt64) -> Bool { milliseconds >= endMilliseconds }

    /// Counts one use; the caller has asked whether there is one left.
    mutating func use() {
        assert(usesLeft > 0, "a used-up token lets nobody in")
        usesLeft -= 1
    }
}

extension EnrolmentOffer: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeFixed(token.exportBytes(), count: EnrolmentToken.byteCount)
        writer.write(role)
        writer.writeVarint(UInt64(usesLeft))
        writer.writeVarint(endMilliseconds)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        do {
            token = try EnrolmentToken(bytes: try reader.readFixed(EnrolmentToken.byteCount))
        } catch {
            throw .invalidValue("token")
        }
        role = try DeviceRole(from: &reader)
        guard let uses = UInt32(exactly: try reader.readVarint()) else { throw .invalidValue("uses") }
        usesLeft = uses
        endMilliseconds = try reader.readVarint()
    }
}
