package import Wire

/// An event of the node, for programs that watch.
package enum NodeEvent: Sendable {
    /// The first event: the position at which the stream starts.
    case snapshot(token: String, zones: [ZoneStatus])
    /// A record changed; the token resumes behind it.
    case change(ChangeView, token: String)
    /// A zone came, changed or went; the token resumes behind it.
    case zone(ZoneChangeView, token: String)
    /// A peer connected or left, or has another name or role.
    case peer(PeerStatus)
    /// A synchronisation with a peer, in either direction, began or ended.
    case sync(SyncEvent)
    /// Other writes than before may wait in a zone's quarantine.
    case quarantine(ZoneID)
    /// The offer of a zone to another account came, was answered, or is over.
    case transfer(ZoneID)
    /// A peer sent something that no honest program sends.
    case anomaly(AnomalyEvent)
    /// An asset of a record has another state on this device.
    case asset(AssetEvent)
    /// The stream cannot continue, for the given reason; resume with the last token.
    case end(reason: String)
}
