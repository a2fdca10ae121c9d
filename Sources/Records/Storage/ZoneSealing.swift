package import Wire

/// The key under which records of a zone are written here.
package enum ZoneSealing: Hashable, Sendable {
    /// Under none yet: there is no key that all readers of the zone have and no other account has.
    case waiting
    /// In clear: every account may read the zone.
    case open
    /// Under the key of an epoch.
    case epoch(Hash)

    /// The epoch; `nil` where there is none.
    package var epoch: Hash? {
        if case .epoch(let hash) = self { hash } else { nil }
    }
}

extension ZoneSealing: WireCodable {
    package func encode(into writer: inout WireWriter) {
        switch self {
        case .waiting: writer.writeByte(0)
        case .open: writer.writeByte(1)
        case .epoch(let hash):
            writer.writeByte(2)
            writer.write(hash)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        switch try reader.readByte() {
        case 0: self = .waiting
        case 1: self = .open
        case 2: self = .epoch(Hash(try reader.readDigest()))
        case let tag: throw .unknownTag(UInt64(tag))
        }
    }
}
