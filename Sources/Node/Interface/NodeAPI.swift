/// The interface of the node for programs and people on this machine, in parts.
///
/// The local socket is one caller; tests are another. All functions may be called at any time from any task. They
/// answer from durable state, and their changes are durable when they return.
package protocol NodeAPI: Sendable {
    /// The same node for a caller that sees only a part of its zones: lists, feeds and events leave the others out, and a
    /// zone outside the scope is `zoneUnknown` like one that does not exist.
    ///
    /// The parts that are not about zones (health, metrics, peers, devices, names, pairing, relays) are not narrowed,
    /// but for what waits in zones.
    func narrowed(to scope: ZoneScope) -> any NodeAPI

    /// Its own state, and faults.
    var health: any HealthAPI { get }
    /// Its metrics.
    var metrics: any MetricsAPI { get }
    /// Other devices, and the operations that they or this one lack.
    var peers: any PeerAPI { get }
    /// The devices of the account, and the recovery words.
    var devices: any DeviceAPI { get }
    /// Further devices of the account, or another account for this one.
    var pairing: any PairingAPI { get }
    /// Names of accounts and devices.
    var naming: any NamingAPI { get }
    /// Containers, and the caller's use of them.
    var containers: any ContainerAPI { get }
    /// Zones.
    var zones: any ZoneAPI { get }
    /// Records.
    var records: any RecordAPI { get }
    /// Records whose concurrent writes disagree.
    var conflicts: any ConflictAPI { get }
    /// Writes that are ignored and wait for a decision.
    var quarantine: any QuarantineAPI { get }
    /// Indexes for queries.
    var indexes: any IndexAPI { get }
    /// Schemas of records.
    var schemas: any SchemaAPI { get }
    /// Changes, as pages and as events.
    var feed: any FeedAPI { get }
    /// Messages.
    var messages: any MessageAPI { get }
    /// Content of messages, and uploads of the content of assets.
    var payloads: any PayloadAPI { get }
    /// Assets of records.
    var assets: any AssetAPI { get }
    /// Contents of assets in files that other programs keep.
    var links: any LinkAPI { get }
    /// Rights of other accounts in zones.
    var sharing: any SharingAPI { get }
    /// Transfers of zones to other accounts.
    var transfers: any TransferAPI { get }
    /// Invitations to zones, requests to join them, and blocks.
    var inviting: any InvitingAPI { get }
    /// Zones of other accounts, to join them.
    var joining: any JoiningAPI { get }
    /// Relays that the account uses.
    var relaying: any RelayAPI { get }
    /// Accounts that this machine, as a relay, keeps parcels for.
    var admitting: any AdmissionAPI { get }
}
