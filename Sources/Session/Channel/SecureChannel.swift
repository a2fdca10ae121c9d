internal import Sodium

/// The limit on the messages that are accepted from the other side.
struct ReceivedMessageLimit: Equatable {
    /// The longest one.
    var byteCountMax: Int
    /// Whether a longer one is dropped as it arrives; otherwise it ends the channel.
    var dropsLonger = false
}

/// The frames after the handshake: messages cut into sealed, padded frames and put together again.
struct SecureChannel: ~Copyable {
    /// The kind of a frame; the first byte of its plaintext.
    enum FrameKind: UInt8 {
        /// A message, or its last piece.
        case data = 0
        /// A piece of a message that goes on.
        case dataMore = 1
        /// The encrypted goodbye; its body is the close code.
        case close = 2
        /// Nothing: hides silence, keeps a connection up.
        case padding = 3
    }

    /// The result of a received frame.
    enum Received: Equatable {
        /// A message is complete.
        case message([UInt8])
        /// No event so far.
        case nothing
        /// The other side closes the channel.
        case closed(CloseCode)
        /// The channel must end.
        case failed(CloseReason)
    }

    private var transport: NoiseTransport
    private let rekey: RekeyPolicy
    private var sent = Usage()
    private var received = Usage()
    /// The pieces of an unfinished message.
    private var partial: [UInt8] = []
    private var isAssembling = false
    /// Whether the message that is arriving is too long and is dropped.
    private var isDropping = false
    private var scratch: [UInt8] = []

    init(_ transport: consuming NoiseTransport, rekey: RekeyPolicy) {
        self.transport = transport
        self.rekey = rekey
    }

    // MARK: Sending

    /// Appends a message's frames.
    /// - Parameters:
    ///   - message: The message; the caller has checked its size.
    ///   - output: Gets the frames.
    /// - Throws: ``NoiseError/nonceExhausted``.
    mutating func seal(message: [UInt8], into output: inout [UInt8]) throws(NoiseError) {
        let needed = output.count + Self.sealedByteCount(messageByteCount: message.count)
        if output.capacity < needed {
            // At least twice as much: exact reservations would copy everything for each of many messages.
            output.reserveCapacity(max(needed, 2 * output.capacity))
        }
        var start = 0
        repeat {
            let end = min(message.count, start + ChannelLimits.bodyByteCountMax)
            let kind: FrameKind = end == message.count ? .data : .dataMore
            try seal(kind, message[start..<end], into: &output)
            start = end
        } while start < message.count
    }

    /// Appends the goodbye.
    mutating func sealClose(_ code: CloseCode, into output: inout [UInt8]) throws(NoiseError) {
        try seal(.close, [code.rawValue], into: &output)
    }

    /// Appends a frame that means nothing.
    mutating func sealPadding(into output: inout [UInt8]) throws(NoiseError) {
        try seal(.padding, [], into: &output)
    }

    /// Returns the number of bytes of a message on the wire.
    static func sealedByteCount(messageByteCount: Int) -> Int {
        let overhead = 2 + ChaChaPoly.tagByteCount
        let full = messageByteCount / ChannelLimits.bodyByteCountMax
        let rest = messageByteCount % ChannelLimits.bodyByteCountMax
        return full * ChannelLimits.frameByteCountMax + overhead
            + FrameSize.padded(rest + ChannelLimits.frameHeaderByteCount)
    }

    private mutating func seal(
        _ kind: FrameKind,
        _ body: ArraySlice<UInt8>,
        into output: inout [UInt8]
    ) throws(NoiseError) {
        let used = ChannelLimits.frameHeaderByteCount + body.count
        let plaintextCount = FrameSize.padded(used)
        let ciphertextCount = plaintextCount + ChaChaPoly.tagByteCount
        let start = output.count
        output.append(UInt8(truncatingIfNeeded: ciphertextCount >> 8))
        output.append(UInt8(truncatingIfNeeded: ciphertextCount))
        output.append(kind.rawValue)
        output.append(UInt8(truncatingIfNeeded: body.count >> 8))
        output.append(UInt8(truncatingIfNeeded: body.count))
        output.append(contentsOf: body)
        output.appendZeros(plaintextCount - used)
        do throws(NoiseError) {
            try transport.sending.seal(&output, from: start + 2)
        } catch {
            output.removeSubrange(start...)
            throw error
        }
        if sent.count(plaintextCount, against: rekey) {
            transport.sending.rekey()
        }
    }

    // MARK: Receiving

    /// Opens a frame.
    /// - Parameters:
    ///   - ciphertext: The frame without its length.
    ///   - limit: The longest message this side takes.
    /// - Returns: The contents of the frame, or the reason why the channel must end.
    mutating func open(_ ciphertext: UnsafeRawBufferPointer, _ limit: ReceivedMessageLimit) -> Received {
        scratch.removeAll(keepingCapacity: true)
        do throws(NoiseError) {
            try transport.receiving.open(ciphertext, appendingTo: &scratch)
        } catch {
            return .failed(error == .nonceExhausted ? .keysExhausted : .notAuthentic)
        }
        if received.count(scratch.count, against: rekey) {
            transport.receiving.rekey()
        }
        guard let (kind, range) = Self.parse(scratch) else { return .failed(.protocolViolation) }
        switch kind {
        case .padding:
            return range.isEmpty ? .nothing : .failed(.protocolViolation)
        case .close:
            guard range.count == 1 else { return .failed(.protocolViolation) }
            return .closed(CloseCode(rawValue: scratch[range.lowerBound]))
        case .data, .dataMore:
            return take(range, isLast: kind == .data, limit)
        }
    }

    private mutating func take(_ range: Range<Int>, isLast: Bool, _ limit: ReceivedMessageLimit) -> Received {
        if isDropping || range.count > limit.byteCountMax - min(partial.count, limit.byteCountMax) {
            guard limit.dropsLonger || isDropping else { return .failed(.messageTooLong) }
            guard isLast || range.count == ChannelLimits.bodyByteCountMax else { return .failed(.protocolViolation) }
            partial = []
            isAssembling = false
            isDropping = !isLast
            return .nothing
        }
        guard isLast else {
            // A sender fills every frame but the last; anything else would let it hold memory with little traffic.
            guard range.count == ChannelLimits.bodyByteCountMax else { return .failed(.protocolViolation) }
            isAssembling = true
            partial.append(contentsOf: scratch[range])
            return .nothing
        }
        guard isAssembling else { return .message(Array(scratch[range])) }
        // A message is never cut so that nothing is left for its last frame.
        guard !range.isEmpty else { return .failed(.protocolViolation) }
        partial.append(contentsOf: scratch[range])
        var message: [UInt8] = []
        swap(&message, &partial)
        isAssembling = false
        return .message(message)
    }

    /// Kind and body of a plaintext; nothing if its form is broken.
    private static func parse(_ plaintext: [UInt8]) -> (FrameKind, Range<Int>)? {
        let header = ChannelLimits.frameHeaderByteCount
        guard plaintext.count >= header, let kind = FrameKind(rawValue: plaintext[0]) else { return nil }
        let count = Int(plaintext[1]) << 8 | Int(plaintext[2])
        guard count <= plaintext.count - header, FrameSize.padded(header + count) == plaintext.count else { return nil }
        let end = header + count
        let isPadded = plaintext.withUnsafeBytes { bytes in bytes[end...].allSatisfy { $0 == 0 } }
        return isPadded ? (kind, header..<end) : nil
    }
}

/// The use of a key since it was made.
private struct Usage {
    private var frames: UInt64 = 0
    private var bytes: UInt64 = 0

    /// Counts a frame.
    /// - Returns: Whether the key is used up; the count starts again then.
    mutating func count(_ byteCount: Int, against policy: RekeyPolicy) -> Bool {
        frames &+= 1
        bytes &+= UInt64(byteCount)
        guard frames >= policy.frameCount || bytes >= policy.byteCount else { return false }
        self = Usage()
        return true
    }
}
