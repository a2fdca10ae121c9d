package import Wire

/// The node's interface for zones.
package protocol ZoneAPI: Sendable {
    /// All live zones, or those that one database shows.
    func list(in database: ZoneDatabase?) async throws(NodeError) -> [ZoneStatus]
    /// Makes a zone of this account.
    /// - Throws: `zoneExists`, `invalidArgument`, `forbidden` for a container outside the scope.
    func createZone(name: String, container: String, history: ZoneHistory) async throws(NodeError) -> ZoneStatus
    /// One zone by id text or by unique name, with the progress of each peer.
    /// - Throws: `zoneUnknown`, `zoneAmbiguous`, `zoneDeleted`.
    func zone(_ reference: String) async throws(NodeError) -> ZoneStatus
    /// Returns the zones that are no longer here, by container and name.
    func goneZones() async throws(NodeError) -> [GoneZoneStatus]
    /// Deletes a zone on all devices.
    /// - Parameters:
    ///   - reference: The zone.
    ///   - reason: The reason, for the people and programs that used the zone; at most 255 bytes, empty for none.
    /// - Throws: `zoneForeign` for a zone of another account, `zoneIsDefault`, `zoneIsPair`, `invalidArgument`.
    func deleteZone(_ reference: String, reason: String) async throws(NodeError)

    /// Finds the default zone of a container, or makes it.
    /// - Parameter container: The container.
    /// - Returns: The zone, and whether it was made now.
    /// - Throws: `invalidArgument`, `forbidden` for a container outside the scope.
    func defaultZone(of container: String) async throws(NodeError) -> (zone: ZoneStatus, isNew: Bool)

    /// Makes a zone that this account and another one own together, finds it, or comes back to it.
    ///
    /// Both sides get the same zone, whichever asks first, and without having met about it.
    /// - Parameters:
    ///   - name: The zone's name; another one is another zone of the two.
    ///   - container: The container.
    ///   - account: The other account, by its id or a part of it.
    /// - Returns: The zone, and whether this account was not in it before.
    /// - Throws: `invalidArgument`, `forbidden`, `accountUnknown`, `accountAmbiguous`, `accountUnpaired`, `accountBlocked`,
    ///   `shareNeedless` for this account itself.
    func pairZone(
        name: String,
        container: String,
        with account: String
    ) async throws(NodeError) -> (zone: ZoneStatus, isNew: Bool)
}

extension ZoneAPI {
    /// All live zones.
    package func list() async throws(NodeError) -> [ZoneStatus] { try await list(in: nil) }

    /// Deletes a zone on all devices, without a reason.
    package func deleteZone(_ reference: String) async throws(NodeError) {
        try await deleteZone(reference, reason: "")
    }
}
