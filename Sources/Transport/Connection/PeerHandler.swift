import NIOCore
import Node
import Session
import Sodium
import Wire

/// Drives the secure channel of one connection on its event loop: bytes in, bytes out, timers.
///
/// All decisions are the channel core's; this class carries out its events in their order. It ends once: whatever leads
/// to the end, `finish` reports it one time and nothing is reported after it.
final class PeerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let settings: HandlerSettings
    /// The connection's entry in the book; held until its socket is closed.
    private var pass: DoorPass?
    private var hasKnocked = false
    /// Whether the identity of the other side is not decided yet: nothing is read meanwhile.
    private var awaitsRoom = false
    private var core: Session.ChannelCore?
    private var connection: NetworkConnection?
    private var hasBegun = false
    private var isOver = false
    private var isReadingPaused = false
    private var needsFlush = false
    /// The handshake's deadline at first, the session's age later, the goodbye's deadline at last.
    private var timer: Scheduled<Void>?
    /// The moment at which the connection must be closed, once a close was requested.
    private var closeDeadline: NIODeadline?
    /// Memory for sealing, kept from batch to batch.
    private var sealed: [UInt8] = []

    /// A handler for one connection.
    /// - Parameters:
    ///   - settings: The facts that it needs.
    ///   - pass: Its entry in the book.
    init(_ settings: HandlerSettings, pass: DoorPass) {
        self.settings = settings
        self.pass = pass
    }

    // MARK: From the channel

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // After the end, later bytes are read only so that the goodbye is not cut off by a reset.
        guard !isOver else { return }
        let buffer = unwrapInboundIn(data)
        settings.metrics.received(byteCount: buffer.readableBytes)
        // A connection that sends nothing costs no keys.
        guard core != nil || prepare(context) else { return }
        var events: [Session.ChannelEvent] = []
        buffer.withUnsafeReadableBytes { core?.received($0, into: &events) }
        guard hasPlace(context) else { return }
        perform(events, context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flush(context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        sendWaiting(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        ended(context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A reset, a timeout of the kernel: the connection is gone, and which of them it was changes nothing.
        ended(context)
        context.close(promise: nil)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        ended(context)
        timer?.cancel()
        timer = nil
        pass = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event as? NetworkConnection.Signal {
        case .outbox:
            connection?.outbox.looked()
            sendWaiting(context)
        case .closing:
            sendWaiting(context)
            guard !isOver else { return }
            let deadline = context.eventLoop.now + settings.limits.closeTimeout
            closeDeadline = deadline
            setTimer(deadline, context) { handler, context in handler.giveUpClosing(context) }
        case .setRoom(let room):
            enter(room, context)
        case .resumeReading:
            guard isReadingPaused, !awaitsRoom, !isOver else { return }
            isReadingPaused = false
            setReading(true, context)
        case nil:
            context.fireUserInboundEventTriggered(event)
        }
    }

    // MARK: Handshake

    private func begin(_ context: ChannelHandlerContext) {
        guard !hasBegun, !isOver else { return }
        hasBegun = true
        if let deadline = pass?.terms.deadline {
            setTimer(NIODeadline(milliseconds: deadline), context) { handler, context in
                handler.finish(.endedInHandshake(messagesReceived: 0), context, before: .late)
            }
        }
        guard settings.dial != nil, prepare(context) else { return }
        var events: [Session.ChannelEvent] = []
        core?.start(into: &events)
        perform(events, context)
        flush(context)
    }

    /// Makes the channel core.
    /// - Returns: Whether there is one now.
    private func prepare(_ context: ChannelHandlerContext) -> Bool {
        do {
            core = try makeCore(at: context.eventLoop.now)
            return true
        } catch {
            // Only a payload of our own that is too long leads here.
            finish(.handshakeFailed, context)
            return false
        }
    }

    /// Moves a connection whose preamble fits a secret to the others of its kind.
    /// - Returns: Whether it may continue.
    private func hasPlace(_ context: ChannelHandlerContext) -> Bool {
        guard !hasKnocked, settings.dial == nil, let purpose = core?.purpose else { return true }
        hasKnocked = true
        guard pass?.knocked(at: DoorRoom(purpose), context.eventLoop.now) != nil else {
            finish(.endedInHandshake(messagesReceived: 0), context, before: .crowded)
            return false
        }
        return true
    }

    /// Applies the limits of a room from now on.
    private func enter(_ room: DoorRoom, _ context: ChannelHandlerContext) {
        guard !isOver, closeDeadline == nil, let connection else { return }
        guard let terms = pass?.identified(in: room, context.eventLoop.now) else {
            settings.metrics.refused(.connections)
            connection.close(.busy)
            return
        }
        keep(terms, context)
        var events: [Session.ChannelEvent] = []
        core?.acceptMessages(
            upTo: min(terms.messageByteCountMax, settings.limits.messageByteCountMax),
            dropsLonger: terms.dropsLongerMessages,
            into: &events
        )
        if room == .admitted { readMore(context) }
        let awaitedRoom = awaitsRoom
        awaitsRoom = false
        isReadingPaused = isReadingPaused && !awaitedRoom
        perform(events, context)
        flush(context)
        if awaitedRoom, !isReadingPaused, !isOver { setReading(true, context) }
    }

    /// Ends the connection when its time in a room is over, or when a session has its age.
    private func keep(_ terms: DoorKeeper.Book.Terms, _ context: ChannelHandlerContext) {
        guard let deadline = terms.deadline else {
            let grace = settings.dial == nil ? settings.limits.renewalGrace : .zero
            scheduleRenewal(context, in: settings.limits.sessionAgeMax + grace)
            return
        }
        setTimer(NIODeadline(milliseconds: deadline), context) { handler, _ in handler.connection?.close(.silent) }
    }

    private func readMore(_ context: ChannelHandlerContext) {
        // As with `setReading`: the options cannot fail on a channel that is open.
        try? context.channel.syncOptions?.setOption(.recvAllocator, value: PeerTransport.receiveAllocator)
        try? context.channel.syncOptions?.setOption(.maxMessagesPerRead, value: PeerTransport.readCountMax)
    }

    private func makeCore(at now: NIODeadline) throws(Session.ChannelError) -> Session.ChannelCore {
        var random = SystemRandom()
        let configuration = ChannelConfiguration(
            messageByteCountMax: settings.limits.messageByteCountMax,
            ageMillisecondsMax: UInt64(clamping: settings.limits.sessionAgeMax.nanoseconds / 1_000_000),
            renewalGraceMilliseconds: UInt64(clamping: settings.limits.renewalGrace.nanoseconds / 1_000_000),
            waitsForVerdict: true,
            messageRevision: PeerMessage.revision
        )
        let payload = settings.sink.handshakePayload()
        let start = Self.milliseconds(now)
        switch settings.role {
        case .initiator(_, let secret, let version):
            return try Session.ChannelCore(
                initiatorWith: secret,
                staticKey: settings.identity.agreementKey,
                localPayload: payload,
                agreement: settings.agreement,
                version: version,
                configuration: configuration,
                startedAt: start,
                using: &random
            )
        case .responder:
            return try Session.ChannelCore(
                responderWith: settings.sink.acceptedSecrets(),
                staticKey: settings.identity.agreementKey,
                localPayload: payload,
                agreement: settings.agreement,
                configuration: configuration,
                startedAt: start,
                using: &random
            )
        }
    }

    private func established(_ result: HandshakeResult, _ context: ChannelHandlerContext) {
        guard let terms = pass?.proved(context.eventLoop.now) else {
            finish(.endedInHandshake(messagesReceived: 0), context, before: .crowded)
            return
        }
        let connection = NetworkConnection(
            id: settings.id,
            dial: settings.dial,
            address: settings.address,
            handshake: result,
            outbox: Outbox(byteCountMax: settings.limits.waitingByteCountMax),
            channel: context.channel
        )
        self.connection = connection
        settings.metrics.opened(settings.side)
        awaitsRoom = true
        isReadingPaused = true
        setReading(false, context)
        keep(terms, context)
        settings.reports.established(connection)
    }

    /// Ends the session when it has its age.
    ///
    /// The side that made it does so first, so that two do not do it crosswise; the other one a little later, even if the first one does not.
    private func scheduleRenewal(_ context: ChannelHandlerContext, in time: TimeAmount) {
        setTimer(context.eventLoop.now + time, context) { handler, context in
            if handler.core?.shouldRenew(now: Self.milliseconds(context.eventLoop.now)) == true {
                handler.connection?.close(.renew)
            } else {
                handler.scheduleRenewal(context, in: .seconds(1))
            }
        }
    }

    // MARK: The core's events

    private func perform(_ events: [Session.ChannelEvent], _ context: ChannelHandlerContext) {
        for event in events where !isOver {
            switch event {
            case .send(let bytes):
                write(bytes, context)
            case .established(let result):
                established(result, context)
            case .message(let message):
                deliver(message, context)
            case .closed(let reason):
                finish(reason, context)
            case .ignore:
                finish(.endedInHandshake(messagesReceived: 0), context, before: .unknown)
            }
        }
    }

    private func deliver(_ message: [UInt8], _ context: ChannelHandlerContext) {
        guard !settings.sink.received(message, on: settings.id), !isReadingPaused else { return }
        isReadingPaused = true
        setReading(false, context)
    }

    private func setReading(_ isOn: Bool, _ context: ChannelHandlerContext) {
        // The option cannot fail on a channel that is open, and on another one it does not matter.
        try? context.channel.syncOptions?.setOption(.autoRead, value: isOn)
    }

    // MARK: Sending

    /// Seals and writes waiting messages for as long as the socket takes them.
    private func sendWaiting(_ context: ChannelHandlerContext) {
        guard let outbox = connection?.outbox else { return }
        if outbox.hasOverflown {
            // The other side does not read; a goodbye would only wait behind everything else.
            finish(.local(.busy), context)
            return
        }
        while !isOver, context.channel.isWritable {
            switch outbox.take(upTo: TransportLimits.batchByteCount) {
            case .messages(let messages):
                seal(messages, context)
                // Flushed batch by batch: that makes the channel report when it has enough.
                flush(context)
            case .close(let code):
                close(code, context)
            case .nothing:
                return
            }
        }
    }

    private func seal(_ messages: [[UInt8]], _ context: ChannelHandlerContext) {
        sealed.removeAll(keepingCapacity: true)
        do throws(Session.ChannelError) {
            for message in messages { try core?.send(message: message, into: &sealed) }
        } catch {
            write(sealed, context)
            close(error == .keysExhausted ? .renew : .protocolViolation, context)
            return
        }
        write(sealed, context)
        // The rare huge message must not leave its size behind for ever.
        if sealed.capacity > 4 * TransportLimits.batchByteCount { sealed = [] }
    }

    private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        guard !bytes.isEmpty else { return }
        needsFlush = true
        settings.metrics.sent(byteCount: bytes.count)
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + TransportLimits.batchByteCount)
            var buffer = context.channel.allocator.buffer(capacity: end - start)
            buffer.writeBytes(bytes[start..<end])
            context.write(wrapOutboundOut(buffer), promise: nil)
            start = end
        }
    }

    private func flush(_ context: ChannelHandlerContext) {
        guard needsFlush else { return }
        needsFlush = false
        context.flush()
    }

    // MARK: The end

    private func close(_ code: CloseCode, _ context: ChannelHandlerContext) {
        var events: [Session.ChannelEvent] = []
        core?.close(code, into: &events)
        perform(events, context)
    }

    /// The goodbye did not get through in its time.
    private func giveUpClosing(_ context: ChannelHandlerContext) {
        finish(.local(connection?.outbox.closeCode ?? .goingAway), context)
        context.close(promise: nil)
    }

    /// The connection is gone.
    private func ended(_ context: ChannelHandlerContext) {
        guard !isOver else { return }
        var events: [Session.ChannelEvent] = []
        core?.ended(into: &events)
        perform(events, context)
        // Before the channel began there is no core to say so.
        if !isOver { finish(.endedInHandshake(messagesReceived: 0), context) }
    }

    /// Ends everything, reports it, and closes the connection in the way that fits.
    private func finish(
        _ reason: CloseReason,
        _ context: ChannelHandlerContext,
        before failure: HandshakeFailure? = nil
    ) {
        guard !isOver else { return }
        isOver = true
        core = nil
        sealed = []
        timer?.cancel()
        timer = nil
        if let connection {
            connection.outbox.end()
            self.connection = nil
            hangUp(after: reason, context)
            settings.metrics.ended(reason)
            settings.reports.closed(connection.id, reason)
        } else {
            context.close(promise: nil)
            settings.metrics.failed(failure ?? HandshakeFailure(reason), settings.side)
            settings.reports.failed(failure?.dialFailure ?? reason.dialFailure)
        }
    }

    /// Closes the connection.
    ///
    /// After a goodbye of ours only our own direction, until the other side hangs up as well:
    /// closing at once, with unread bytes in the socket, would reset the connection and lose the goodbye on its way.
    private func hangUp(after reason: CloseReason, _ context: ChannelHandlerContext) {
        switch reason {
        case .local, .protocolViolation, .messageTooLong:
            guard context.channel.isActive else { return }
            needsFlush = false
            context.flush()
            if isReadingPaused { setReading(true, context) }
            let deadline = closeDeadline ?? context.eventLoop.now + settings.limits.closeTimeout
            setTimer(deadline, context) { _, context in context.close(promise: nil) }
            context.close(mode: .output, promise: nil)
        default:
            context.close(promise: nil)
        }
    }

    private func setTimer(
        _ deadline: NIODeadline,
        _ context: ChannelHandlerContext,
        _ action: @escaping (PeerHandler, ChannelHandlerContext) -> Void
    ) {
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            action(self, context)
        }
    }

    private static func milliseconds(_ time: NIODeadline) -> UInt64 {
        time.uptimeNanoseconds / 1_000_000
    }
}
