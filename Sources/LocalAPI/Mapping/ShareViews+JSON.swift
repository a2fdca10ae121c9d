import KairanClient
import Node
import Wire

extension ShareStatus {
    /// - Parameter isBare: Whether devices, invitations and requests are left out.
    /// - Returns: The object.
    func json(isBare: Bool) -> JSONValue {
        [
            "zone": .string(zone.text),
            "owner": ["account": .string(owner.text), "devices": .array(isBare ? [] : ownerDevices.map(\.json))],
            "participants": .array(participants.map { $0.json(isBare: isBare) }),
            "public": publicAccess.json,
            "invites": .array(isBare ? [] : invites.map(\.json)),
            "requests": .array(isBare ? [] : requests.map(\.json)),
            "waits_for": .array(waitsFor.map { .string($0.text) }),
            "transfer": isBare ? .null : transfer?.json ?? .null,
        ]
    }
}

extension TransferStatus {
    var json: JSONValue {
        [
            "zone": .string(zone.text),
            "owner": .string(owner.text),
            "account": .string(account.text),
            "keep": .string(keeps?.name ?? "none"),
            "state": .string(state.rawValue),
        ]
    }
}

extension DeviceName {
    var json: JSONValue { ["device": .string(device.text), "name": .string(name)] }
}

extension ParticipantStatus {
    /// - Parameter isBare: Whether the devices are left out.
    /// - Returns: The object.
    func json(isBare: Bool = false) -> JSONValue {
        let strongest = capabilities.first
        return [
            "account": .string(account.text),
            "this": .bool(isThis),
            "rights": .string(strongest?.level.name ?? "none"),
            "delegate": .bool(strongest.map { $0.delegationDepth > 0 } ?? false),
            "via": JSONValue(strongest?.capability.text),
            "since": capabilities.map(\.sinceMilliseconds).min().map(JSONValue.init(milliseconds:)) ?? .null,
            "devices": .array(isBare ? [] : devices.map(\.json)),
            "capabilities": .array(capabilities.map(\.json)),
        ]
    }
}

extension CapabilityStatus {
    var json: JSONValue {
        [
            "capability": .string(capability.text),
            "rights": .string(level.name),
            "depth": .integer(Int64(delegationDepth)),
            "by": .string(issuer.text),
            "since": JSONValue(milliseconds: sinceMilliseconds),
            "types": .array(recordTypes.map { .string($0) }),
            "prefix": .string(namePrefix),
            "expires_at": expiresMilliseconds.map(JSONValue.init(milliseconds:)) ?? .null,
        ]
    }
}

extension RevocationStatus {
    var json: JSONValue {
        [
            "zone": .string(zone.text),
            "revoked": .array(accounts.map { .string($0.text) }),
            "kept": .array(kept.map { .string($0.text) }),
            "epoch": epoch.map { .string($0.text) } ?? .null,
            "quarantined": .integer(Int64(quarantined)),
            "remaining": .string(remaining?.name ?? "none"),
        ]
    }
}

extension EpochStatus {
    var json: JSONValue { ["zone": .string(zone.text), "epoch": .string(epoch.text)] }
}

extension CutRaiseStatus {
    var json: JSONValue {
        [
            "zone": .string(zone.text), "account": .string(account.text), "raised": .integer(Int64(raised)),
            "released": .integer(Int64(released)),
        ]
    }
}

extension Wire.PublicAccess {
    var json: JSONValue { .object(members) }

    fileprivate var members: [JSONMember] {
        [
            JSONMember("world", world.json), JSONMember("authenticated", authenticated.json),
            JSONMember("creator", creator.json),
        ]
    }
}

extension PublicAccessStatus {
    var json: JSONValue { .object(access.members + [JSONMember("link", JSONValue(link))]) }
}

extension PublicRights {
    /// Each with its name.
    static let names: [(name: String, right: PublicRights)] = [("read", .read), ("create", .create), ("write", .write)]

    var json: JSONValue { .array(Self.names.filter { contains($0.right) }.map { .string($0.name) }) }
}
