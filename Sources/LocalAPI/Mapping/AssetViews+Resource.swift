import FoundationEssentials
import KairanInterface
import Node
import Wire

extension AssetView: ResourceView {
    var resource: Asset {
        Asset(
            asset: asset.text,
            zone: zone.text,
            record: record,
            field: field,
            item: item,
            size: byteCount,
            mediaType: mediaType.isEmpty ? nil : mediaType,
            name: fileName.isEmpty ? nil : fileName,
            modifiedAt: modifiedAt.map { Date(milliseconds: $0) },
            state: state,
            percent: percent,
            copies: copies?.resource,
            relays: relays.isEmpty ? nil : relays,
            linked: files == nil ? nil : true,
            files: files?.isEmpty == false ? files : nil
        )
    }
}

extension AssetViewPage: ResourceView {
    var resource: AssetPage { AssetPage(assets: assets.map(\.resource), cursor: cursor) }
}

extension AssetPolicyView: ResourceView {
    var resource: AssetPolicySetting {
        let (word, byteCount): (AssetPolicySetting.Policy, UInt64?) =
            switch policy {
            case .never: (.never, nil)
            case .onDemand: (.onDemand, nil)
            case .upTo(let byteCount): (.upTo, byteCount)
            case .always: (.always, nil)
            }
        return AssetPolicySetting(
            policy: word,
            upTo: byteCount,
            isDefault: isDefault,
            isKeptAtRelays: isKeptAtRelays
        )
    }
}

extension AssetExplanationView: ResourceView {
    var resource: AssetExplanation {
        AssetExplanation(
            asset: asset.text,
            size: byteCount,
            state: state,
            percent: percent,
            places: places.map { Asset.Place(zone: $0.zone, record: $0.record, field: $0.field, item: $0.item) },
            reasons: reasons,
            fix: fix,
            unnamedSince: unnamedSince.map(Date.init(milliseconds:)),
            keptUntil: keptUntil.map(Date.init(milliseconds:)),
            promisedUntil: promisedUntil.map(Date.init(milliseconds:)),
            holders: holders?.map(\.resource),
            copies: copies?.resource,
            relays: relays.isEmpty ? nil : relays.map(\.resource)
        )
    }
}

extension AssetCopiesView: ResourceView {
    var resource: AssetCopies {
        AssetCopies(
            machines: machineCount,
            relays: relayCount,
            holders: holders.map { holder in
                AssetCopies.Holder(device: holder.device.text, statedAt: Date(milliseconds: holder.statedAt))
            }
        )
    }
}

extension AssetRelayView: ResourceView {
    var resource: AssetRelay { AssetRelay(device: device.text, until: Date(milliseconds: until)) }
}

extension AssetHolderView: ResourceView {
    var resource: AssetHolder {
        AssetHolder(
            device: device.text,
            account: account.text,
            answer: answer,
            until: until.map(Date.init(milliseconds:))
        )
    }
}

extension AssetEvictionView: ResourceView {
    var resource: AssetEviction {
        AssetEviction(asset: asset.text, state: state, freed: freedByteCount, holders: holders.map(\.resource))
    }
}

extension AssetCollectionView: ResourceView {
    var resource: AssetCollection {
        AssetCollection(
            assets: assets.map { asset in
                AssetCollection.Unnamed(
                    asset: asset.asset.text,
                    size: asset.byteCount,
                    since: Date(milliseconds: asset.since),
                    until: Date(milliseconds: asset.until)
                )
            },
            bytes: heldByteCount,
            dropped: droppedCount
        )
    }
}

extension AssetEvent: ResourceView {
    var resource: AssetChange {
        AssetChange(zone: zone.text, asset: asset.text, state: state, percent: percent)
    }
}

extension PayloadView {
    /// The resource of content that was uploaded for an asset.
    var upload: UploadedAsset { UploadedAsset(asset: id.text, zone: zone.text, size: byteCount) }
}
