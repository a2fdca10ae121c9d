import Identity
import Wire

/// The exchange of zones that one side does not know with a peer.
struct ZoneJoining: Sendable {
    /// Zones whose terms were sent to the peer.
    var told: Set<ZoneID> = []
    /// Zones that this account only reads, as far as is known here, and that the peer, a device of the account, has
    /// named.
    var named: Set<ZoneID> = []
    /// Zones that are being made here by the peer's terms.
    private var underWay: [ZoneID: ZoneTerms] = [:]
    /// Zones that could not be made here, as on a full disk: it is tried again when the peer names them.
    private var unmade: [ZoneID: ZoneTerms] = [:]

    func isUnderWay(_ zone: ZoneID) -> Bool { underWay[zone] != nil }

    mutating func begin(_ terms: ZoneTerms) { underWay[ZoneID(terms.genesis)] = terms }

    /// Takes the terms of a zone that could not be made.
    mutating func takeUnmade(_ zone: ZoneID) -> ZoneTerms? { unmade.removeValue(forKey: zone) }

    /// A zone is known here.
    mutating func ended(_ zone: ZoneID) {
        underWay[zone] = nil
        unmade[zone] = nil
    }

    /// A zone was not made here.
    mutating func failed(_ zone: ZoneID, _ limits: SyncLimits) {
        guard let terms = underWay[zone], unmade.count < limits.unmadeZoneCountMax else { return }
        unmade[zone] = terms
    }

    /// Drops what is under way about a zone.
    mutating func forget(_ zone: ZoneID) { underWay[zone] = nil }
}
