import Identity
package import Peering
package import Wire

/// The keys of the TXT record: the protocol's version, random bytes of this process, and the tags over them.
private enum AttributeKey {
    static let version = "v"
    static let nonce = "r"
    static let tag = "t"
    /// Tags of zones, seven a string, since a string has 255 bytes.
    static let zoneTags = ["z0", "z1", "z2"]
    static let zoneTagCount = 7
}

extension ServiceAdvertisement {
    /// The announcement of a process.
    /// - Parameters:
    ///   - instanceName: The name of the process.
    ///   - port: The port on which it listens.
    ///   - nonce: Random bytes of the process.
    ///   - tag: The tag by which the account's devices recognise it.
    ///   - zoneTags: The tags by which devices recognise it that share a zone with it.
    init(instanceName: String, port: UInt16, nonce: [UInt8], tag: [UInt8], zoneTags: [[UInt8]]) {
        var attributes = [
            ServiceAttribute(key: AttributeKey.version, value: Array("1".utf8)),
            ServiceAttribute(key: AttributeKey.nonce, value: Array(Hexadecimal.encode(nonce).utf8)),
            ServiceAttribute(key: AttributeKey.tag, value: Array(Hexadecimal.encode(tag).utf8)),
        ]
        let texts = zoneTags.map(Hexadecimal.encode)
        for (index, key) in AttributeKey.zoneTags.enumerated() {
            let part = texts.dropFirst(index * AttributeKey.zoneTagCount).prefix(AttributeKey.zoneTagCount)
            if !part.isEmpty { attributes.append(ServiceAttribute(key: key, value: Array(part.joined().utf8))) }
        }
        self.init(instanceName: instanceName, port: port, attributes: attributes)
    }
}

extension ServiceSighting: PeerSighting {
    /// Returns the entry of the key by whose tag the account's devices recognise the instance.
    package func fleetEntry(recognisedBy keys: FleetChannelKeys, at wall: UInt64) -> Hash? {
        guard let nonce = bytes(AttributeKey.nonce), let tag = bytes(AttributeKey.tag) else {
            return nil
        }
        return keys.entry(recognising: tag, nonce: nonce, at: wall)
    }

    /// Returns the shared zone by one of whose tags the instance is recognised.
    package func zone(recognisedBy keys: RendezvousKeys, at wall: UInt64) -> ZoneID? {
        guard let nonce = bytes(AttributeKey.nonce) else { return nil }
        let tags = AttributeKey.zoneTags.compactMap(bytes).flatMap { all in
            stride(from: 0, to: all.count, by: DiscoveryTag.byteCount).map {
                Array(all[$0..<min($0 + DiscoveryTag.byteCount, all.count)])
            }
        }
        return keys.zone(of: tags, nonce: nonce, at: wall)
    }

    private func bytes(_ key: String) -> [UInt8]? {
        attributes.first { $0.key == key }
            .flatMap { String(validating: $0.value, as: UTF8.self) }
            .flatMap { Hexadecimal.decode($0) }
    }
}
