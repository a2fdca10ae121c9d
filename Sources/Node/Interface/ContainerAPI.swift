/// The node's interface for containers, and for the zones that every container has.
package protocol ContainerAPI: Sendable {
    /// All containers that the caller may see, ascending by the bytes of their names: those with zones, and for an
    /// application also those that it is bound to and that have none yet.
    func containers() async throws(NodeError) -> [ContainerStatus]
    /// One container.
    /// - Throws: `containerUnknown`.
    func container(_ name: String) async throws(NodeError) -> ContainerStatus

    /// Returns the zones that are no longer here, by container and name.
    func goneZones() async throws(NodeError) -> [GoneZoneStatus]
    /// Deletes a zone on all devices.
    /// - Parameters:
    ///   - reference: The zone.
    ///   - reason: The reason, for the people and programs that used the zone; at most 255 bytes, empty for none.
    /// - Throws: `zoneForeign` for a zone of another account, `zoneIsDefault`, `zoneIsPair`, `invalidArgument`.
    func deleteZone(_ reference: String, reason: String) async throws(NodeError)

    /// Whether the caller can work with the account now.
    func accountStanding() async throws(NodeError) -> AccountStanding

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
