/// The rights in a zone of accounts without a capability for it.
///
/// ```
/// +---------+-----------------+-----------+
/// | world 1 | authenticated 1 | creator 1 |   each a set of bits: 1 read, 2 create, 4 write
/// +---------+-----------------+-----------+
/// ```
package struct PublicAccess: Hashable, Sendable {
    /// The rights of everyone on the network.
    package let world: PublicRights
    /// The rights of every known account.
    package let authenticated: PublicRights
    /// The rights of the account named as a record's creator, for that record.
    package let creator: PublicRights

    /// Joins the three sets of rights.
    /// - Parameters: as the properties of the same names.
    package init(world: PublicRights, authenticated: PublicRights, creator: PublicRights) {
        self.world = world
        self.authenticated = authenticated
        self.creator = creator
    }

    /// No rights for anyone, as in a zone that never stated any.
    package static let none = PublicAccess(world: [], authenticated: [], creator: [])
}

/// A set of things that may be done without a capability.
package struct PublicRights: OptionSet, Hashable, Sendable {
    /// The bits.
    package let rawValue: UInt8

    /// Takes bits, with or without a meaning; a decoder refuses those without.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Read records.
    package static let read = PublicRights(rawValue: 1)
    /// Make new records.
    package static let create = PublicRights(rawValue: 2)
    /// Change and delete records.
    package static let write = PublicRights(rawValue: 4)

    /// All that there is.
    package static let all: PublicRights = [.read, .create, .write]
}

extension PublicAccess: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(world)
        writer.write(authenticated)
        writer.write(creator)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        world = try PublicRights(from: &reader)
        authenticated = try PublicRights(from: &reader)
        creator = try PublicRights(from: &reader)
    }
}

extension PublicRights: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeByte(rawValue)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let rights = PublicRights(rawValue: try reader.readByte())
        guard rights.isSubset(of: .all) else { throw .invalidValue("public rights") }
        self = rights
    }
}
