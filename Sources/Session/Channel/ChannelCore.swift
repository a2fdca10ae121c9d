package import Sodium
package import Wire

/// One side of the secure channel, from the first byte to the goodbye, without a socket, a clock or randomness of its own.
///
/// The driver passes in the bytes that arrive and carries out the events, in their order. After
/// ``ChannelEvent/closed(_:)`` or ``ChannelEvent/ignore`` nothing more happens, with any input. The bytes are
/// described in `docs/protocol/channel.md`.
package struct ChannelCore: ~Copyable, Sendable {
    private enum Phase: Equatable {
        case idle
        case awaitingPreamble
        case handshake
        case open
        case over
    }

    private let configuration: ChannelConfiguration
    private let startedAt: UInt64
    private let isInitiator: Bool
    private var phase: Phase
    /// The longest message that is taken, and whether longer ones are dropped.
    private var receiving: ReceivedMessageLimit
    /// Bytes behind the handshake that wait for the verdict; `nil` = none is waited for.
    private var held: [UInt8]?
    /// The purpose of the secret that the channel is made under; `nil` while the preamble is awaited.
    package private(set) var purpose: ChannelSecret.Purpose?
    private var assembler = FrameAssembler()
    private var firstFlight: [UInt8] = []
    private var waiting: WaitingResponder?
    private var handshake: HandshakeCore?
    private var channel: SecureChannel?

    /// The side that made the connection.
    ///
    /// ``start(into:)`` gives its first bytes.
    /// - Parameters:
    ///   - secret: The secret that it shares with the peer that it wants to talk to.
    ///   - staticKey: Its own static key.
    ///   - localPayload: The payload of its third message; at most ``ChannelLimits/payloadByteCountMax`` bytes.
    ///   - agreement: The versions that it speaks.
    ///   - version: The version that it uses; nothing for the highest. One that it does not speak means the highest
    ///     as well.
    ///   - configuration: Limits.
    ///   - startedAt: The time, in milliseconds of any clock that only goes forward.
    ///   - generator: The source of the randomness.
    /// - Throws: ``ChannelError/tooLong(maximum:)`` for the payload.
    package init(
        initiatorWith secret: ChannelSecret,
        staticKey: borrowing AgreementKey,
        localPayload: [UInt8],
        agreement: ChannelAgreement,
        version: ChannelVersion? = nil,
        configuration: ChannelConfiguration = ChannelConfiguration(),
        startedAt: UInt64,
        using generator: inout some RandomNumberGenerator
    ) throws(ChannelError) {
        guard localPayload.count <= ChannelLimits.payloadByteCountMax else {
            throw .tooLong(maximum: ChannelLimits.payloadByteCountMax)
        }
        self.configuration = configuration
        self.startedAt = startedAt
        isInitiator = true
        purpose = secret.purpose
        receiving = ReceivedMessageLimit(byteCountMax: configuration.messageByteCountMax)
        let nonce = generator.randomBytes(ChannelPreamble.nonceByteCount)
        let version = min(version ?? agreement.newest, agreement.newest)
        let preamble = ChannelPreamble(version: version, secret: secret, nonce: nonce)
        firstFlight = preamble.bytes
        phase = .idle
        let ephemeralKey = AgreementKey.generate(using: &generator, placement: .transient)
        handshake = HandshakeCore(
            role: .initiator,
            version: version,
            newest: agreement.newest,
            preamble: preamble,
            secret: secret,
            staticKey: staticKey.duplicate(placement: .transient),
            ephemeralKey: ephemeralKey,
            localPayload: localPayload,
            messageRevision: configuration.messageRevision,
            exchange: EncapsulationExchange(agreement, version, for: .initiator, using: &generator)
        )
    }

    /// The side that was connected to.
    /// - Parameters:
    ///   - secrets: The secrets of the peers that it talks to; at most ``ChannelLimits/secretCountMax`` are looked
    ///     at. The first that fits wins, so current ones come before earlier ones.
    ///   - staticKey: Its own static key.
    ///   - localPayload: The payload of its second message; at most ``ChannelLimits/payloadByteCountMax`` bytes.
    ///   - agreement: The versions that it speaks; it answers in the one that it is addressed in.
    ///   - configuration: Limits.
    ///   - startedAt: The time, in milliseconds of any clock that only goes forward.
    ///   - generator: The source of the randomness.
    /// - Throws: ``ChannelError/tooLong(maximum:)`` for the payload.
    package init(
        responderWith secrets: [ChannelSecret],
        staticKey: borrowing AgreementKey,
        localPayload: [UInt8],
        agreement: ChannelAgreement,
        configuration: ChannelConfiguration = ChannelConfiguration(),
        startedAt: UInt64,
        using generator: inout some RandomNumberGenerator
    ) throws(ChannelError) {
        guard localPayload.count <= ChannelLimits.payloadByteCountMax else {
            throw .tooLong(maximum: ChannelLimits.payloadByteCountMax)
        }
        self.configuration = configuration
        self.startedAt = startedAt
        isInitiator = false
        receiving = ReceivedMessageLimit(byteCountMax: configuration.messageByteCountMax)
        phase = .awaitingPreamble
        let ephemeralSecret = SecretBytes(count: AgreementKey.byteCount, placement: .transient, using: &generator)
        waiting = WaitingResponder(
            secrets: secrets,
            staticKey: staticKey.duplicate(placement: .transient),
            ephemeralSecret: ephemeralSecret,
            localPayload: localPayload,
            newest: agreement.newest,
            exchange: EncapsulationExchange(agreement, agreement.newest, for: .responder, using: &generator)
        )
    }

    /// Whether messages can be sent.
    package var isEstablished: Bool {
        phase == .open
    }

    /// Whether the channel is over.
    package var isOver: Bool {
        phase == .over
    }

    /// Whether a new session should take this one's place.
    /// - Parameter now: The time, of the clock that ``init(initiatorWith:staticKey:localPayload:agreement:version:configuration:startedAt:using:)``
    ///   was given.
    /// - Returns: Whether the session is older than its configuration says: for the side that was connected to, by the grace as well.
    package func shouldRenew(now: UInt64) -> Bool {
        let grace = isInitiator ? 0 : configuration.renewalGraceMilliseconds
        let (age, overflow) = configuration.ageMillisecondsMax.addingReportingOverflow(grace)
        return !overflow && now >= startedAt && now - startedAt >= age
    }

    // MARK: Input

    /// The connection stands.
    ///
    /// An initiator speaks first.
    /// - Parameter events: Receives the resulting events.
    package mutating func start(into events: inout [ChannelEvent]) {
        guard phase == .idle else { return }
        phase = .handshake
        var bytes = firstFlight
        firstFlight = []
        if let failure = writeHandshakeMessage(into: &bytes) {
            end(failure, &events)
            return
        }
        events.append(.send(bytes))
    }

    /// Bytes arrived.
    /// - Parameters:
    ///   - bytes: The bytes, in pieces of any size; not kept.
    ///   - events: Receives the resulting events.
    /// - Complexity: O(bytes).
    package mutating func received(_ bytes: UnsafeRawBufferPointer, into events: inout [ChannelEvent]) {
        guard held == nil else {
            hold(bytes, &events)
            return
        }
        var rest = bytes
        while let framing = framing {
            switch assembler.advance(&rest, framing) {
            case .incomplete:
                return
            case .outOfBounds:
                end(phase == .open ? .protocolViolation : .handshakeFailed, &events)
            case .direct(let frame):
                handle(frame, &events)
            case .buffered:
                let whole = assembler.takeBuffered()
                let header = FrameAssembler.headerByteCount(framing)
                whole.withUnsafeBytes { handle(UnsafeRawBufferPointer(rebasing: $0[header...]), &events) }
                assembler.recycle(whole)
            }
        }
        if held != nil { hold(rest, &events) }
    }

    /// Keeps bytes that have come too early; a driver stops reading by then, and so no peer sends more without
    /// knowing the limit.
    private mutating func hold(_ bytes: UnsafeRawBufferPointer, _ events: inout [ChannelEvent]) {
        guard bytes.count <= ChannelLimits.heldByteCountMax - (held?.count ?? 0) else {
            sayGoodbye(.protocolViolation, &events)
            end(.messageTooLong, &events)
            return
        }
        held?.append(contentsOf: bytes)
    }

    /// Sets which messages are taken from now on; bytes that have waited for that are read.
    /// - Parameters:
    ///   - byteCountMax: The longest message that is taken.
    ///   - dropsLonger: Whether a longer one is dropped; otherwise it ends the channel.
    ///   - events: Receives the resulting events.
    /// - Complexity: O(bytes that have waited).
    package mutating func acceptMessages(upTo byteCountMax: Int, dropsLonger: Bool, into events: inout [ChannelEvent]) {
        guard phase == .open else { return }
        receiving = ReceivedMessageLimit(byteCountMax: byteCountMax, dropsLonger: dropsLonger)
        guard let waiting = held else { return }
        held = nil
        waiting.withUnsafeBytes { received($0, into: &events) }
    }

    /// The connection has ended.
    /// - Parameter events: Gets the reason, unless the channel was over before.
    package mutating func ended(into events: inout [ChannelEvent]) {
        switch phase {
        case .over:
            return
        case .open:
            end(.truncated, &events)
        case .idle, .awaitingPreamble, .handshake:
            end(.endedInHandshake(messagesReceived: handshake?.messagesReceived ?? 0), &events)
        }
    }

    // MARK: Output

    /// Seals a message.
    /// - Parameters:
    ///   - message: The message, at most as long as the configuration says.
    ///   - output: Gets the frames, to be written to the connection in the order of the calls.
    /// - Throws: ``ChannelError``.
    /// - Complexity: O(message).
    package mutating func send(message: [UInt8], into output: inout [UInt8]) throws(ChannelError) {
        try requireOpen()
        guard message.count <= configuration.messageByteCountMax else {
            throw .tooLong(maximum: configuration.messageByteCountMax)
        }
        do {
            try channel?.seal(message: message, into: &output)
        } catch {
            throw .keysExhausted
        }
    }

    /// Seals a frame that means nothing and is dropped by the other side.
    /// - Parameter output: Gets the frame.
    /// - Throws: ``ChannelError``.
    package mutating func sendPadding(into output: inout [UInt8]) throws(ChannelError) {
        try requireOpen()
        do {
            try channel?.sealPadding(into: &output)
        } catch {
            throw .keysExhausted
        }
    }

    /// Ends the channel.
    ///
    /// An established one sends a goodbye, so that the other side can distinguish an end from a cut.
    /// - Parameters:
    ///   - code: Why.
    ///   - events: Gets the goodbye to be sent, and the end.
    package mutating func close(_ code: CloseCode, into events: inout [ChannelEvent]) {
        guard phase != .over else { return }
        sayGoodbye(code, &events)
        end(.local(code), &events)
    }

    // MARK: Steps

    private var framing: FrameAssembler.Framing? {
        switch phase {
        case .awaitingPreamble:
            .fixed(ChannelPreamble.byteCount)
        case .handshake:
            .lengthPrefixed(minimum: 1, maximum: ChannelLimits.handshakeMessageByteCountMax)
        case .open where held != nil:
            nil
        case .open:
            .lengthPrefixed(
                minimum: FrameSize.padded(ChannelLimits.frameHeaderByteCount) + ChaChaPoly.tagByteCount,
                maximum: ChannelLimits.ciphertextByteCountMax
            )
        case .idle, .over:
            nil
        }
    }

    private mutating func handle(_ frame: UnsafeRawBufferPointer, _ events: inout [ChannelEvent]) {
        switch phase {
        case .awaitingPreamble: handlePreamble(Array(frame), &events)
        case .handshake: handleHandshake(Array(frame), &events)
        case .open: handleFrame(frame, &events)
        case .idle, .over: assertionFailure("nothing is read in this phase")
        }
    }

    private mutating func handlePreamble(_ bytes: [UInt8], _ events: inout [ChannelEvent]) {
        guard
            let preamble = ChannelPreamble(bytes),
            let responder = waiting.take(),
            let version = preamble.version(upTo: responder.newest),
            let secret = preamble.secret(among: responder.secrets)
        else {
            phase = .over
            events.append(.ignore)
            return
        }
        purpose = secret.purpose
        handshake = responder.begin(preamble, version, secret)
        phase = .handshake
    }

    private mutating func handleHandshake(_ message: [UInt8], _ events: inout [ChannelEvent]) {
        switch handshake?.read(message) {
        case .failed(let reason):
            end(reason, &events)
        case .reply:
            var bytes: [UInt8] = []
            if let failure = writeHandshakeMessage(into: &bytes) {
                end(failure, &events)
                return
            }
            events.append(.send(bytes))
            if handshake?.isFinished == true {
                establish(&events)
            }
        case .finished:
            establish(&events)
        case nil:
            assertionFailure("there is a handshake in this phase")
        }
    }

    private mutating func establish(_ events: inout [ChannelEvent]) {
        let result = handshake?.result
        guard let result, let finished = handshake.take() else {
            end(.handshakeFailed, &events)
            return
        }
        do {
            channel = try finished.channel(rekey: configuration.rekey)
        } catch {
            end(.handshakeFailed, &events)
            return
        }
        phase = .open
        if configuration.waitsForVerdict { held = [] }
        events.append(.established(result))
    }

    private mutating func handleFrame(_ frame: UnsafeRawBufferPointer, _ events: inout [ChannelEvent]) {
        switch channel?.open(frame, receiving) {
        case .message(let message):
            events.append(.message(message))
        case .nothing:
            return
        case .closed(let code):
            end(.peer(code), &events)
        case .failed(let reason):
            // An authenticated peer that breaks the rules receives the reason; a frame that does not open may be from
            // any sender.
            if reason == .protocolViolation || reason == .messageTooLong {
                sayGoodbye(.protocolViolation, &events)
            }
            end(reason, &events)
        case nil:
            assertionFailure("there is a channel in this phase")
        }
    }

    private mutating func writeHandshakeMessage(into bytes: inout [UInt8]) -> CloseReason? {
        guard handshake != nil else { return .handshakeFailed }
        return handshake?.write(into: &bytes)
    }

    private mutating func sayGoodbye(_ code: CloseCode, _ events: inout [ChannelEvent]) {
        guard phase == .open else { return }
        var bytes: [UInt8] = []
        // Without a nonce left there is no goodbye; the other side sees a truncation, which is true.
        try? channel?.sealClose(code, into: &bytes)
        if !bytes.isEmpty {
            events.append(.send(bytes))
        }
    }

    /// Ends everything: the keys go away at once.
    private mutating func end(_ reason: CloseReason, _ events: inout [ChannelEvent]) {
        phase = .over
        waiting = nil
        handshake = nil
        channel = nil
        assembler = FrameAssembler()
        held = nil
        events.append(.closed(reason))
    }

    private func requireOpen() throws(ChannelError) {
        switch phase {
        case .open: return
        case .over: throw .closed
        case .idle, .awaitingPreamble, .handshake: throw .notEstablished
        }
    }
}
