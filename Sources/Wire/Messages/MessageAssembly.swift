/// Puts the parts of long messages together, one message at a time.
///
/// A value that holds no more than the parts received of one message, which the size that its first part states
/// bounds. The first part also states the kind of message, so that nothing is held of an unwanted message.
package struct MessageAssembly: Sendable {
    /// The reason why the parts received are no message; nothing of them is held.
    package enum Fault: Error, Equatable, Sendable {
        /// A message of this kind is not taken here, or none is that long.
        case refused
        /// It is not the next part of the message that has begun.
        case outOfOrder
        /// Another message came between the parts of one.
        case interrupted
        /// The parts together are no message.
        case malformed(WireError)
    }

    private struct Open {
        let total: Int
        /// The position of the next part.
        var next = 0
        /// The parts; `nil` of a message that is passed over.
        var parts: [[UInt8]]?
    }

    private var open: Open?

    /// Creates an assembly without a part.
    package init() {}

    /// Whether a message has begun and not ended.
    package var isOpen: Bool { open != nil }

    /// The number of bytes of a message that are held.
    package var byteCount: Int { open?.parts?.reduce(0) { $0 + $1.count } ?? 0 }

    /// Takes the next part.
    /// - Parameters:
    ///   - message: A message, or a part of one.
    ///   - kinds: The kinds of long message that are taken now.
    ///   - passedOver: The kinds of which nothing is held, and that are no fault.
    /// - Returns: The message that is whole now; `nil` while parts are missing, and at the end of a message that is passed over.
    /// - Throws: ``Fault``; then nothing is open any more.
    /// - Complexity: O(bytes of the message) at its last part, O(1) before.
    package mutating func take(
        _ message: PeerMessage,
        of kinds: Set<LongMessage>,
        passingOver passedOver: Set<LongMessage> = []
    ) throws(Fault) -> PeerMessage? {
        let begun = open
        open = nil
        guard case .part(let part) = message else {
            guard begun == nil else { throw .interrupted }
            return message
        }
        var arriving: Open
        if let begun { arriving = begun } else { arriving = try Self.begin(part, kinds, passedOver) }
        guard part.total == arriving.total, part.position == arriving.next else { throw .outOfOrder }
        arriving.next += 1
        arriving.parts?.append(part.bytes)
        guard part.isLast else {
            open = arriving
            return nil
        }
        guard let parts = arriving.parts else { return nil }
        do throws(WireError) {
            return try PeerMessage(decoding: Array(parts.joined()))
        } catch {
            throw .malformed(error)
        }
    }

    private static func begin(
        _ part: MessagePart,
        _ kinds: Set<LongMessage>,
        _ passedOver: Set<LongMessage>
    ) throws(Fault) -> Open {
        guard part.position == 0 else { throw .outOfOrder }
        guard let kind = part.kind, part.total <= kind.byteCountMax else { throw .refused }
        if kinds.contains(kind) { return Open(total: part.total, parts: []) }
        guard passedOver.contains(kind) else { throw .refused }
        return Open(total: part.total, parts: nil)
    }
}

extension MessageAssembly.Fault: CustomStringConvertible {
    /// The broken rule, for logs.
    package var description: String {
        switch self {
        case .refused: "a message of this kind or length is not accepted here"
        case .outOfOrder: "a part is not the next one of its message"
        case .interrupted: "another message came between the parts of one"
        case .malformed(let error): "the parts together are not a message: \(error)"
        }
    }
}
