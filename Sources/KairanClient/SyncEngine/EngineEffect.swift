/// The next step for the driver of a sync engine; the driver answers each but ``rest(until:)`` before it asks again.
package enum EngineEffect: Sendable {
    /// Tell the application; answered by nothing.
    case deliver(SyncEngine.Event)
    /// Open the stream of events; answered by `connected` or `disconnected`, whenever it comes.
    case connect
    /// List the zones.
    case listZones
    /// Fetch a page of a zone's changes.
    case fetch(zone: String, since: String?)
    /// Make a zone, or find the one of this account that has the name; answered by `savedZone` or `zoneChangeFailed`.
    case saveZone(name: String, history: SyncEngine.PendingZoneChange.History)
    /// Delete a zone of the container, by its id or its name; answered by `deletedZone`, also where there is none, or by
    /// `zoneChangeFailed`.
    case deleteZone(String)
    /// Ask the application for the contents to save.
    case describe([RecordID])
    /// Send writes, each for itself.
    case send(zone: String, [RecordWrite])
    /// Read a record.
    case lookUp(RecordID)
    /// Let the application decide.
    case decide(SyncEngine.Conflict)
    /// Wait until something is noticed, at most until a time.
    case rest(until: Int64?)
}
