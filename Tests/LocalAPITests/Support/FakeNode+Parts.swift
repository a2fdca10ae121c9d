import Node
import Synchronization

// One fake is all parts of the interface.
extension FakeNode: NodeAPI {
    func narrowed(to scope: ZoneScope) -> any NodeAPI {
        state.withLock { $0.scopes.append(scope) }
        return self
    }

    var health: any HealthAPI { self }
    var metrics: any MetricsAPI { self }
    var peers: any PeerAPI { self }
    var devices: any DeviceAPI { self }
    var pairing: any PairingAPI { self }
    var naming: any NamingAPI { self }
    var containers: any ContainerAPI { self }
    var zones: any ZoneAPI { self }
    var records: any RecordAPI { self }
    var conflicts: any ConflictAPI { self }
    var quarantine: any QuarantineAPI { self }
    var indexes: any IndexAPI { self }
    var schemas: any SchemaAPI { self }
    var feed: any FeedAPI { self }
    var messages: any MessageAPI { self }
    var payloads: any PayloadAPI { self }
    var assets: any AssetAPI { self }
    var links: any LinkAPI { self }
    var sharing: any SharingAPI { self }
    var transfers: any TransferAPI { self }
    var inviting: any InvitingAPI { self }
    var joining: any JoiningAPI { self }
    var relaying: any RelayAPI { self }
    var admitting: any AdmissionAPI { self }
}

extension FakeNode:
    HealthAPI, MetricsAPI, PeerAPI, DeviceAPI, PairingAPI, NamingAPI, ContainerAPI, ZoneAPI,
    RecordAPI, ConflictAPI, QuarantineAPI, IndexAPI, SchemaAPI, FeedAPI, MessageAPI,
    PayloadAPI, AssetAPI, LinkAPI, SharingAPI, TransferAPI, InvitingAPI, JoiningAPI, RelayAPI, AdmissionAPI
{}
