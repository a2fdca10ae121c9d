/// One entry of a Noise vector file.
struct NoiseVector: Decodable {
    struct Message: Decodable {
        let payload: HexBytes
        let ciphertext: HexBytes
    }

    let protocolName: String
    let initPrologue: HexBytes?
    let initStatic: HexBytes?
    let initEphemeral: HexBytes
    let initRemoteStatic: HexBytes?
    let initPSKs: [HexBytes]
    let respPrologue: HexBytes?
    let respStatic: HexBytes?
    let respEphemeral: HexBytes?
    let respRemoteStatic: HexBytes?
    let respPSKs: [HexBytes]
    let handshakeHash: HexBytes?
    let messages: [Message]

    /// `XXpsk0` of `Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b`.
    var patternName: String { part(1) }
    /// `BLAKE2b` of `Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b`.
    var hashName: String { part(4) }

    private func part(_ index: Int) -> String {
        let parts = protocolName.split(separator: "_")
        return parts.count == 5 ? String(parts[index]) : ""
    }

    private enum Key: String, CodingKey {
        case protocolName = "protocol_name"
        case name
        case initPrologue = "init_prologue"
        case initStatic = "init_static"
        case initEphemeral = "init_ephemeral"
        case initRemoteStatic = "init_remote_static"
        case initPSKs = "init_psks"
        case respPrologue = "resp_prologue"
        case respStatic = "resp_static"
        case respEphemeral = "resp_ephemeral"
        case respRemoteStatic = "resp_remote_static"
        case respPSKs = "resp_psks"
        case handshakeHash = "handshake_hash"
        case messages
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        if let name = try container.decodeIfPresent(String.self, forKey: .protocolName) {
            protocolName = name
        } else {
            protocolName = try container.decode(String.self, forKey: .name)
        }
        initPrologue = try container.decodeIfPresent(HexBytes.self, forKey: .initPrologue)
        initStatic = try container.decodeIfPresent(HexBytes.self, forKey: .initStatic)
        initEphemeral = try container.decode(HexBytes.self, forKey: .initEphemeral)
        initRemoteStatic = try container.decodeIfPresent(HexBytes.self, forKey: .initRemoteStatic)
        initPSKs = try container.decodeIfPresent([HexBytes].self, forKey: .initPSKs) ?? []
        respPrologue = try container.decodeIfPresent(HexBytes.self, forKey: .respPrologue)
        respStatic = try container.decodeIfPresent(HexBytes.self, forKey: .respStatic)
        respEphemeral = try container.decodeIfPresent(HexBytes.self, forKey: .respEphemeral)
        respRemoteStatic = try container.decodeIfPresent(HexBytes.self, forKey: .respRemoteStatic)
        respPSKs = try container.decodeIfPresent([HexBytes].self, forKey: .respPSKs) ?? []
        handshakeHash = try container.decodeIfPresent(HexBytes.self, forKey: .handshakeHash)
        messages = try container.decode([Message].self, forKey: .messages)
    }
}

/// A Noise vector file.
struct NoiseVectorFile: Decodable {
    let vectors: [NoiseVector]
}
