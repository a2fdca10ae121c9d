/// A handshake pattern: the keys known beforehand, and the contents of each message (Noise revision 34, §7).
package struct NoisePattern: Hashable, Sendable {
    /// The side of the conversation; the initiator is the left side of the pattern's drawing.
    package enum Role: Hashable, Sendable {
        case initiator
        case responder

        /// The other side.
        package var opposite: Role {
            self == .initiator ? .responder : .initiator
        }
    }

    /// An element of a message; a message lists its elements in order.
    package enum Token: Hashable, Sendable {
        /// An ephemeral public key.
        case ephemeral
        /// A static public key, encrypted if a key is known by then.
        case fixed
        /// Diffie–Hellman of both ephemeral keys.
        case ee
        /// Diffie–Hellman of the initiator's ephemeral and the responder's static key.
        case es
        /// Diffie–Hellman of the initiator's static and the responder's ephemeral key.
        case se
        /// Diffie–Hellman of both static keys.
        case ss
        /// A pre-shared key is mixed in.
        case psk
    }

    /// The name as it stands in a protocol name, such as `XXpsk0`.
    package let name: String
    /// The keys of the initiator that the responder knows beforehand.
    package let initiatorKnown: [Token]
    /// The keys of the responder that the initiator knows beforehand.
    package let responderKnown: [Token]
    /// The tokens of each message.
    package let messages: [[Token]]
    /// The sender of the first message; the responder in a fallback pattern.
    package let firstSender: Role

    private init(
        _ name: String,
        _ messages: [[Token]],
        initiatorKnown: [Token] = [],
        responderKnown: [Token] = [],
        firstSender: Role = .initiator
    ) {
        self.name = name
        self.initiatorKnown = initiatorKnown
        self.responderKnown = responderKnown
        self.messages = messages
        self.firstSender = firstSender
    }

    /// Returns the sender of a message.
    /// - Parameter index: The message's place, from 0.
    /// - Returns: The sender.
    package func sender(ofMessage index: Int) -> Role {
        index.isMultiple(of: 2) ? firstSender : firstSender.opposite
    }

    /// Whether only the initiator ever sends (N, K, X).
    package var isOneWay: Bool {
        messages.count == 1
    }

    /// The number of pre-shared keys that the pattern takes.
    package var preSharedKeyCount: Int {
        messages.joined().count { $0 == .psk }
    }

    /// The pattern with pre-shared keys mixed in (§9).
    /// - Parameter places: 0 is the start of the first message, n the end of message n.
    /// - Returns: The pattern, or nothing if a place lies beyond the last message or is named twice.
    package func withPreSharedKeys(at places: [Int]) -> NoisePattern? {
        guard Set(places).count == places.count else { return nil }
        var changed = messages
        // Later places first, so that an insertion at the start does not come between.
        for place in places.sorted(by: >) {
            guard (0...messages.count).contains(place) else { return nil }
            if place == 0 {
                changed[0].insert(.psk, at: 0)
            } else {
                changed[place - 1].append(.psk)
            }
        }
        return NoisePattern(
            name + places.map { "psk\($0)" }.joined(separator: "+"),
            changed,
            initiatorKnown: initiatorKnown,
            responderKnown: responderKnown,
            firstSender: firstSender
        )
    }

    /// The pattern of a name such as `IK`, `XXfallback` or `XXpsk0+psk3`.
    /// - Parameter name: The name.
    package init?(named name: String) {
        let head = name.prefix { !$0.isLowercase }
        let modifiers = name.dropFirst(head.count).split(separator: "+")
        var isFallback = false
        var places: [Int] = []
        for modifier in modifiers {
            if modifier == "fallback" {
                isFallback = true
            } else if modifier.hasPrefix("psk"), let place = Int(modifier.dropFirst(3)) {
                places.append(place)
            } else {
                return nil
            }
        }
        let base = isFallback ? "\(head)fallback" : String(head)
        guard let pattern = Self.known.first(where: { $0.name == base }) else { return nil }
        if places.isEmpty {
            self = pattern
        } else {
            guard let combined = pattern.withPreSharedKeys(at: places) else { return nil }
            self = combined
        }
    }
}

extension NoisePattern {
    /// Neither side has a static key.
    package static let NN = NoisePattern("NN", [[.ephemeral], [.ephemeral, .ee]])
    /// The initiator knows the responder's static key.
    package static let NK = NoisePattern("NK", [[.ephemeral, .es], [.ephemeral, .ee]], responderKnown: [.fixed])
    /// Both know each other's static key.
    package static let KK = NoisePattern(
        "KK",
        [[.ephemeral, .es, .ss], [.ephemeral, .ee, .se]],
        initiatorKnown: [.fixed],
        responderKnown: [.fixed]
    )
    /// Both send their static keys, encrypted.
    package static let XX = NoisePattern(
        "XX",
        [[.ephemeral], [.ephemeral, .ee, .fixed, .es], [.fixed, .se]]
    )
    /// The initiator knows the responder's static key and sends its own in the third message.
    package static let XK = NoisePattern(
        "XK",
        [[.ephemeral, .es], [.ephemeral, .ee], [.fixed, .se]],
        responderKnown: [.fixed]
    )
    /// The initiator knows the responder's static key and sends its own in the first message.
    package static let IK = NoisePattern(
        "IK",
        [[.ephemeral, .es, .fixed, .ss], [.ephemeral, .ee, .se]],
        responderKnown: [.fixed]
    )
    /// One message to a known key.
    package static let N = NoisePattern("N", [[.ephemeral, .es]], responderKnown: [.fixed])
    /// One message between known keys.
    package static let K = NoisePattern(
        "K",
        [[.ephemeral, .es, .ss]],
        initiatorKnown: [.fixed],
        responderKnown: [.fixed]
    )
    /// One message to a known key, with the sender's own.
    package static let X = NoisePattern("X", [[.ephemeral, .es, .fixed, .ss]], responderKnown: [.fixed])
    /// XX with the responder's authentication deferred.
    package static let XX1 = NoisePattern(
        "XX1",
        [[.ephemeral], [.ephemeral, .ee, .fixed], [.es, .fixed, .se]]
    )
    /// XK with the responder's authentication deferred.
    package static let XK1 = NoisePattern(
        "XK1",
        [[.ephemeral], [.ephemeral, .ee, .es], [.fixed, .se]],
        responderKnown: [.fixed]
    )
    /// IK with the responder's authentication deferred.
    package static let IK1 = NoisePattern(
        "IK1",
        [[.ephemeral, .fixed], [.ephemeral, .ee, .se, .es]],
        responderKnown: [.fixed]
    )
    /// XX taken up by the responder after a first message that it could not read.
    package static let XXfallback = NoisePattern(
        "XXfallback",
        [[.ephemeral, .ee, .fixed, .es], [.fixed, .se]],
        initiatorKnown: [.ephemeral],
        firstSender: .responder
    )

    /// Every pattern without pre-shared keys that this code knows.
    private static let known = [NN, NK, KK, XX, XK, IK, N, K, X, XX1, XK1, IK1, XXfallback]
}
