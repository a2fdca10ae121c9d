package import KairanInterface
package import Sync
package import Wire

/// An anomaly from a peer, which no honest program sends, as reported to programs: the first at once, further ones
/// once a minute.
package struct AnomalyEvent: Sendable, Equatable {
    /// The kind.
    package var kind: DaemonEvent.Anomaly.Kind
    /// The number of occurrences since the last report.
    package var count: UInt64
    /// The device that signed the faulty content, where one device signed all of it.
    package var author: DeviceID?
    /// The name of that device in its account, if it is known.
    package var authorName: String?
    /// The device that sent it, if it is known which one that is.
    package var peer: DeviceID?
    /// The name of that device in its account, if it is known.
    package var peerName: String?
    /// The account of the device that sent it.
    package var account: AccountID?
    /// The zone, if it is about one.
    package var zone: ZoneID?

    /// Makes an event.
    /// - Parameters: as the properties of the same names.
    package init(
        kind: DaemonEvent.Anomaly.Kind,
        count: UInt64 = 1,
        author: DeviceID? = nil,
        authorName: String? = nil,
        peer: DeviceID? = nil,
        peerName: String? = nil,
        account: AccountID? = nil,
        zone: ZoneID? = nil
    ) {
        self.kind = kind
        self.count = count
        self.author = author
        self.authorName = authorName
        self.peer = peer
        self.peerName = peerName
        self.account = account
        self.zone = zone
    }

    /// Tells of an anomaly.
    /// - Parameters:
    ///   - anomaly: The anomaly; its detail stays here.
    ///   - authorName: The name of the device that signed it.
    ///   - peerName: The name of the device that sent it.
    package init(_ anomaly: Anomaly, authorName: String? = nil, peerName: String? = nil) {
        self.init(
            kind: DaemonEvent.Anomaly.Kind(anomaly.kind),
            count: anomaly.count,
            author: anomaly.author,
            authorName: authorName,
            peer: anomaly.peer,
            peerName: peerName,
            account: anomaly.account,
            zone: anomaly.zone
        )
    }
}

extension DaemonEvent.Anomaly.Kind {
    fileprivate init(_ kind: Anomaly.Kind) {
        self =
            switch kind {
            case .violation: .violation
            case .brokenLog: .brokenLog
            case .forkedLog: .forkedLog
            case .refusedCapability: .refusedCapability
            case .outOfRight: .outOfRight
            case .outOfSchema: .outOfSchema
            case .unsound: .unsound
            }
    }
}
