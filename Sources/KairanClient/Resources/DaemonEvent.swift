public import FoundationEssentials

/// An event in the daemon, numbered from 0 within one stream.
public struct DaemonEvent: Sendable, Decodable {
    /// The kind of an event.
    public enum Kind: Sendable {
        /// The first event: where the stream starts, and the zones at that time.
        case snapshot(zones: [Zone])
        /// A record changed.
        case change(Change)
        /// A zone appeared, changed, or went.
        case zone(ZoneChange)
        /// A peer connected or left.
        case peer(Peer)
        /// Something came in from a peer, or a peer acknowledged something.
        case sync(SyncReport)
        /// Other writes than before may wait in the quarantine of the zone with this id.
        case quarantine(zone: String)
        /// A peer sent data that no honest program sends; only administrators receive this event.
        case anomaly(Anomaly)
        /// The offer of a zone to another account came, was answered, or is over; `share(of:)` has it.
        case transfer(zone: String)
        /// The stream cannot go on; resume behind the last token.
        case end(reason: String)
        /// A kind that a newer daemon sends.
        case other(String)
    }

    /// A piece of synchronisation; two events with one id report it, one when it begins and one when it is over.
    public struct SyncReport: Sendable, Hashable, Decodable {
        /// Its number in this run of the daemon.
        public var id: UInt64
        /// `setup`, `import` or `export`.
        public var kind: String
        /// The zone; `nil` for all that is shared with the peer.
        public var zone: String?
        /// With which device.
        public var peer: String
        /// The device's account.
        public var account: String
        /// The number of operations so far.
        public var count: UInt64
        /// The time of its beginning.
        public var startedAt: Date
        /// The time of its end; `nil` while it goes on.
        public var endedAt: Date?
        /// Its duration in milliseconds; `nil` while it goes on.
        public var durationMilliseconds: UInt64?
        /// Whether it is over and went well.
        public var succeeded: Bool
        /// The error, a stable code.
        public var error: String?

        enum CodingKeys: String, CodingKey {
            case id, kind, zone, peer, account, count, succeeded, error
            case startedAt = "started_at"
            case endedAt = "ended_at"
            case durationMilliseconds = "duration_ms"
        }
    }

    /// Data from a peer that no honest program sends: the daemon refused it, or keeps it without effect.
    ///
    /// The first anomaly of a kind from one device in one zone is reported at once, later ones together once a
    /// minute.
    public struct Anomaly: Sendable, Hashable, Decodable {
        /// `violation`, `broken_log`, `forked_log`, `refused_capability`, `out_of_right`, `out_of_schema` or `unsound`.
        public var kind: String
        /// The number of occurrences since the last report.
        public var count: UInt64
        /// The device that signed the faulty data; `nil` if none did, or several.
        public var author: String?
        /// The name of that device in its account, if it is known.
        public var authorName: String?
        /// The device that sent it, if it is known; it may pass on another device's writes.
        public var peer: String?
        /// The name of that device in its account, if it is known.
        public var peerName: String?
        /// The account of the device that sent it.
        public var account: String?
        /// The zone, if it is about one.
        public var zone: String?

        enum CodingKeys: String, CodingKey {
            case kind, count, author, peer, account, zone
            case authorName = "author_name"
            case peerName = "peer_name"
        }
    }

    /// Its place in the stream; a gap means that something was lost on the way.
    public var number: UInt64
    /// Resume behind this event with this change token, where the event is a place for that.
    public var token: String?
    /// The kind of the event.
    public var kind: Kind

    private enum Key: String, CodingKey {
        case event, number, token, zones, zone, peer, reason
    }

    /// Reads an event of the interface.
    /// - Throws: `DecodingError` when a member is missing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        number = try container.decode(UInt64.self, forKey: .number)
        token = try container.decodeIfPresent(String.self, forKey: .token)
        switch try container.decode(String.self, forKey: .event) {
        case "snapshot": kind = .snapshot(zones: try container.decode([Zone].self, forKey: .zones))
        case "change": kind = .change(try Change(from: decoder))
        case "zone": kind = .zone(try ZoneChange(from: decoder))
        case "peer": kind = .peer(try container.decode(Peer.self, forKey: .peer))
        case "sync": kind = .sync(try SyncReport(from: decoder))
        case "quarantine": kind = .quarantine(zone: try container.decode(String.self, forKey: .zone))
        case "transfer": kind = .transfer(zone: try container.decode(String.self, forKey: .zone))
        case "anomaly": kind = .anomaly(try Anomaly(from: decoder))
        case "end": kind = .end(reason: try container.decode(String.self, forKey: .reason))
        case let other: kind = .other(other)
        }
    }
}
