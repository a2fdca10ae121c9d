package import Wire

/// Something that this device has to say to a relay about a payload of its own.
package struct CustodyJob: Hashable, Sendable {
    /// What it is.
    package enum Kind: Hashable, Sendable {
        /// Somebody whom a message is for has not got it: the relay is to keep its payload.
        case keep
        /// Nobody is waited for any more: the relay need not keep it.
        case release
    }

    /// What is to be said.
    package let kind: Kind
    /// To whom.
    package let relay: DeviceID
    /// The zone that the payload belongs to.
    package let zone: ZoneID
    /// The payload.
    package let payload: PayloadID
    /// How large it is, with its padding, in bytes; 0 for a release.
    package let byteCount: UInt64

    /// Describes a job.
    /// - Parameters: as the properties of the same names.
    package init(_ kind: Kind, relay: DeviceID, zone: ZoneID, payload: PayloadID, byteCount: UInt64 = 0) {
        self.kind = kind
        self.relay = relay
        self.zone = zone
        self.payload = payload
        self.byteCount = byteCount
    }

    /// What the relay is told.
    var message: PeerMessage {
        let request = CustodyRequest(zone: zone, payload: payload, byteCount: byteCount)
        return kind == .keep ? .custodyRequest(request) : .custodyRelease(request)
    }
}
