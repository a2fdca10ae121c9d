import Session
import Sodium

/// Plays vectors: both sides are ours, and every byte on the way must be the published one.
enum NoiseRunner {
    struct Mismatch: Error, CustomStringConvertible {
        let description: String
    }

    /// Plays one vector.
    /// - Returns: Whether it was applicable: pattern and hash are known.
    static func play(_ vector: NoiseVector) throws -> Bool {
        switch vector.hashName {
        case "BLAKE2b": try play(vector, Blake2b512.self)
        case "BLAKE2s": try play(vector, Blake2s.self)
        case "SHA256": try play(vector, SHA256.self)
        case "SHA512": try play(vector, SHA512.self)
        default: false
        }
    }

    private static func play<Hash: HashAlgorithm>(_ vector: NoiseVector, _ hash: Hash.Type) throws -> Bool {
        guard let pattern = NoisePattern(named: vector.patternName) else { return false }
        if pattern.firstSender == .responder {
            try playFallback(vector, pattern, hash)
            return true
        }
        var initiator = try side(vector, .initiator, pattern, hash)
        var responder = try side(vector, .responder, pattern, hash)
        try converse(vector, from: 0, pattern, &initiator, &responder)
        try finish(vector, from: pattern.messages.count, pattern, initiator, responder)
        return true
    }

    /// The initiator tries IK with a static key that is not the responder's any more, and the responder falls back.
    private static func playFallback<Hash: HashAlgorithm>(
        _ vector: NoiseVector,
        _ pattern: NoisePattern,
        _ hash: Hash.Type
    ) throws {
        var tried = try side(vector, .initiator, .IK, hash)
        var triedResponder = try side(vector, .responder, .IK, hash)
        var first: [UInt8] = []
        try tried.writeMessage(payload: vector.messages[0].payload.bytes, appendingTo: &first)
        try expect(first, vector.messages[0].ciphertext.bytes, "message 0 of \(vector.protocolName)")
        do {
            _ = try triedResponder.readMessage(first)
            throw Mismatch(description: "\(vector.protocolName): the stale first message was read")
        } catch is NoiseError {}
        let initiatorEphemeral = triedResponder.remoteEphemeral
        var initiator = try side(vector, .initiator, pattern, hash)
        var responder = try side(vector, .responder, pattern, hash, remoteEphemeral: initiatorEphemeral)
        try converse(vector, from: 1, pattern, &initiator, &responder)
        try finish(vector, from: 1 + pattern.messages.count, pattern, initiator, responder)
    }

    private static func side<Hash: HashAlgorithm>(
        _ vector: NoiseVector,
        _ role: NoisePattern.Role,
        _ pattern: NoisePattern,
        _ hash: Hash.Type,
        remoteEphemeral: AgreementPublicKey? = nil
    ) throws -> HandshakeState<Hash> {
        let isInitiator = role == .initiator
        let fixed = isInitiator ? vector.initStatic : vector.respStatic
        let ephemeral = isInitiator ? vector.initEphemeral : vector.respEphemeral
        let remote = isInitiator ? vector.initRemoteStatic : vector.respRemoteStatic
        let keys = isInitiator ? vector.initPSKs : vector.respPSKs
        let prologue = isInitiator ? vector.initPrologue : vector.respPrologue
        let unused = [UInt8](repeating: 1, count: 32)
        return try HandshakeState(
            pattern: pattern,
            role: role,
            prologue: prologue?.bytes ?? [],
            staticKey: AgreementKey(bytes: fixed?.bytes ?? unused),
            ephemeralKey: AgreementKey(bytes: ephemeral?.bytes ?? unused),
            preSharedKeys: SecretBytes(copying: keys.prefix(pattern.keyCount(ofMessage: 0)).flatMap(\.bytes)),
            remoteStatic: remote.map { try AgreementPublicKey(bytes: $0.bytes) },
            remoteEphemeral: remoteEphemeral
        )
    }

    private static func converse<Hash: HashAlgorithm>(
        _ vector: NoiseVector,
        from start: Int,
        _ pattern: NoisePattern,
        _ initiator: inout HandshakeState<Hash>,
        _ responder: inout HandshakeState<Hash>
    ) throws {
        var given = pattern.keyCount(ofMessage: 0)
        for index in pattern.messages.indices {
            let message = vector.messages[start + index]
            // Keys of later messages come as late as they may.
            for _ in 0..<(index == 0 ? 0 : pattern.keyCount(ofMessage: index)) {
                try initiator.addPreSharedKey(SecretBytes(copying: vector.initPSKs[given].bytes))
                try responder.addPreSharedKey(SecretBytes(copying: vector.respPSKs[given].bytes))
                given += 1
            }
            var sent: [UInt8] = []
            let read: [UInt8]
            if pattern.sender(ofMessage: index) == .initiator {
                try initiator.writeMessage(payload: message.payload.bytes, appendingTo: &sent)
                read = try responder.readMessage(sent)
            } else {
                try responder.writeMessage(payload: message.payload.bytes, appendingTo: &sent)
                read = try initiator.readMessage(sent)
            }
            try expect(sent, message.ciphertext.bytes, "message \(start + index) of \(vector.protocolName)")
            try expect(read, message.payload.bytes, "payload \(start + index) of \(vector.protocolName)")
        }
    }

    private static func finish<Hash: HashAlgorithm>(
        _ vector: NoiseVector,
        from start: Int,
        _ pattern: NoisePattern,
        _ initiator: consuming HandshakeState<Hash>,
        _ responder: consuming HandshakeState<Hash>
    ) throws {
        var first = try initiator.split()
        var second = try responder.split()
        if let hash = vector.handshakeHash {
            try expect(first.handshakeHash, hash.bytes, "the hash of \(vector.protocolName)")
        }
        try expect(second.handshakeHash, first.handshakeHash, "the other side's hash of \(vector.protocolName)")
        for index in start..<vector.messages.count {
            let message = vector.messages[index]
            var sent = message.payload.bytes
            var read: [UInt8] = []
            if pattern.isOneWay || index.isMultiple(of: 2) {
                try first.sending.seal(&sent, from: 0)
                try sent.withUnsafeBytes { try second.receiving.open($0, appendingTo: &read) }
            } else {
                try second.sending.seal(&sent, from: 0)
                try sent.withUnsafeBytes { try first.receiving.open($0, appendingTo: &read) }
            }
            try expect(sent, message.ciphertext.bytes, "message \(index) of \(vector.protocolName)")
            try expect(read, message.payload.bytes, "payload \(index) of \(vector.protocolName)")
        }
    }

    private static func expect(_ actual: [UInt8], _ wanted: [UInt8], _ what: @autoclosure () -> String) throws {
        guard actual == wanted else { throw Mismatch(description: what()) }
    }
}

extension NoisePattern {
    /// The number of pre-shared keys that a message mixes in.
    fileprivate func keyCount(ofMessage index: Int) -> Int {
        messages[index].count { $0 == .psk }
    }
}
