import FoundationEssentials
import KairanInterface
import Node
import Wire

extension ShareStatus: ResourceView {
    var resource: Share {
        Share(
            zone: zone.text,
            owner: Share.Owner(account: owner.text, devices: ownerDevices.map(\.resource)),
            participants: participants.map(\.resource),
            publicAccess: publicAccess.resource,
            invites: invites.map(\.resource),
            requests: requests.map(\.resource),
            waitsFor: waitsFor.map(\.text),
            transfer: transfer?.resource
        )
    }

    /// The part that applications may see: without devices, invitations, requests and an offer of the zone.
    var bare: ShareStatus {
        var bare = self
        (bare.ownerDevices, bare.invites, bare.requests, bare.transfer) = ([], [], [], nil)
        for index in bare.participants.indices { bare.participants[index].devices = [] }
        return bare
    }
}

extension TransferStatus: ResourceView {
    var resource: ZoneTransfer {
        ZoneTransfer(
            zone: zone.text,
            owner: owner.text,
            account: account.text,
            keep: AccessRights(keeps),
            state: state
        )
    }
}

extension ParticipantStatus: ResourceView {
    var resource: Participant {
        // There is at least one.
        let strongest = capabilities.first
        return Participant(
            account: account.text,
            isThis: isThis,
            rights: AccessRights(strongest?.level),
            mayDelegate: strongest.map { $0.delegationDepth > 0 } ?? false,
            via: strongest?.capability.text ?? "",
            since: Date(milliseconds: capabilities.map(\.sinceMilliseconds).min() ?? 0),
            devices: devices.map(\.resource),
            capabilities: capabilities.map(\.resource)
        )
    }
}

extension CapabilityStatus {
    fileprivate var resource: ZoneCapability {
        ZoneCapability(
            capability: capability.text,
            rights: AccessRights(level),
            depth: Int(delegationDepth),
            issuer: issuer.text,
            since: Date(milliseconds: sinceMilliseconds),
            types: recordTypes,
            prefix: namePrefix,
            expiresAt: expiresMilliseconds.map(Date.init(milliseconds:))
        )
    }
}

extension RevocationStatus: ResourceView {
    var resource: KairanInterface.Revocation {
        KairanInterface.Revocation(
            zone: zone.text,
            revoked: accounts.map(\.text),
            kept: kept.map(\.text),
            epoch: epoch?.text,
            quarantined: quarantined,
            remaining: AccessRights(remaining)
        )
    }
}

extension EpochStatus: ResourceView {
    var resource: ZoneEpoch { ZoneEpoch(zone: zone.text, epoch: epoch.text) }
}

extension CutRaiseStatus: ResourceView {
    var resource: KairanInterface.CutRaise {
        KairanInterface.CutRaise(zone: zone.text, account: account.text, raised: raised, released: released)
    }
}

extension PublicAccessStatus: ResourceView {
    var resource: KairanInterface.PublicAccess { access.resource(link: link) }
}

extension Wire.PublicAccess {
    /// The resource, which has the link only where the shares of the zone are shown.
    func resource(link: String?) -> KairanInterface.PublicAccess {
        KairanInterface.PublicAccess(
            world: world.resource,
            authenticated: authenticated.resource,
            creator: creator.resource,
            link: link
        )
    }
}

extension PublicRights {
    /// Each with its name.
    static let names: [(name: KairanInterface.PublicAccess.Right, right: PublicRights)] = [
        (.read, .read), (.create, .create), (.write, .write),
    ]

    fileprivate var resource: [KairanInterface.PublicAccess.Right] {
        Self.names.filter { contains($0.right) }.map(\.name)
    }
}
