// The parts of the interface, for one caller: each takes what it needs of the node.
extension Node: NodeAPI {
    package func narrowed(to scope: ZoneScope) -> any NodeAPI {
        var node = self
        node.store.scope = scope
        return node
    }

    package var health: any HealthAPI {
        HealthRequests(
            store: store,
            sync: sync,
            peers: peers,
            relaying: relaying,
            machine: machine,
            listeningPort: listeningPort
        )
    }

    package var metrics: any MetricsAPI {
        MetricsRequests(store: store, sync: sync, relaying: relaying, relay: relay)
    }

    package var peers: any PeerAPI { PeerRequests(store: store, sync: sync) }
    package var devices: any DeviceAPI { DeviceRequests(store: store, sync: sync) }
    package var pairing: any PairingAPI { PairingRequests(sync: sync, clock: commitService.clock) }
    package var naming: any NamingAPI { NamingRequests(store: store, sync: sync) }
    package var containers: any ContainerAPI { ContainerRequests(store: store) }
    package var zones: any ZoneAPI { ZoneRequests(store: store) }
    package var records: any RecordAPI { RecordRequests(store: store, writes: writes) }
    package var conflicts: any ConflictAPI { ConflictRequests(store: store, writes: writes) }
    package var quarantine: any QuarantineAPI { QuarantineRequests(store: store) }
    package var indexes: any IndexAPI { IndexRequests(store: store, builder: indexing) }
    package var schemas: any SchemaAPI { SchemaRequests(store: store) }
    package var feed: any FeedAPI { FeedRequests(store: store) }
    package var messages: any MessageAPI { MessageRequests(store: store, inbox: inbox) }
    package var payloads: any PayloadAPI { PayloadRequests(store: store) }
    package var assets: any AssetAPI { AssetRequests(store: store, sync: sync, service: assetService) }
    package var links: any LinkAPI { LinkRequests(store: store, assets: assets) }
    package var sharing: any SharingAPI { SharingRequests(store: store) }
    package var transfers: any TransferAPI { TransferRequests(store: store) }
    package var inviting: any InvitingAPI { InvitingRequests(store: store) }
    package var joining: any JoiningAPI { JoiningRequests(store: store, sync: sync) }
    package var relaying: any RelayAPI { RelayingRequests(store: store, mail: mail) }

    package var admitting: any AdmissionAPI {
        AdmissionRequests(store: store, relay: relay, ownAddresses: relayAddresses)
    }

    private var writes: ProgramWrites { ProgramWrites(store: store, sync: sync) }
}
