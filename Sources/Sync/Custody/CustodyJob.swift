package import Wire

/// A message that this device has to send to a relay about a payload.
package struct CustodyJob: Hashable, Sendable {
    /// The kind of request.
    package enum Kind: Hashable, Sendable {
        /// A recipient of a message has not got it, or a record names it: the relay is to keep the payload.
        case keep
        /// No recipient is waited for any more, and no record names it: the relay need not keep the payload.
        case release
    }

    /// The kind of request.
    package let kind: Kind
    /// The data for which the payload is to be kept, or was kept; a message's in the release of one that neither keeps.
    package let purpose: CustodyRequest.Kind
    /// The relay.
    package let relay: DeviceID
    /// The zone that the payload belongs to.
    package let zone: ZoneID
    /// The payload.
    package let payload: PayloadID
    /// The size with padding, in bytes; 0 for a release, and of a content that is not here any more.
    package let byteCount: UInt64

    /// Describes a job.
    /// - Parameters: as the properties of the same names.
    package init(
        _ kind: Kind,
        for purpose: CustodyRequest.Kind = .message,
        relay: DeviceID,
        zone: ZoneID,
        payload: PayloadID,
        byteCount: UInt64 = 0
    ) {
        self.kind = kind
        self.purpose = purpose
        self.relay = relay
        self.zone = zone
        self.payload = payload
        self.byteCount = byteCount
    }

    /// The message to the relay.
    var message: PeerMessage {
        let request = CustodyRequest(zone: zone, payload: payload, byteCount: byteCount, kind: purpose)
        return kind == .keep ? .custodyRequest(request) : .custodyRelease(request)
    }
}
