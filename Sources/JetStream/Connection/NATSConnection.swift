internal import CNATS
internal import Glibc
internal import Synchronization

/// A connection to one of the servers of a cluster; libnats keeps it up, and looks for another server when one is gone.
///
/// All calls may block for as long as the patience allows; none may be made on the cooperative pool.
///
/// SAFETY: libnats allows its functions on a connection from any thread at once, and the connection is destroyed with
/// the object, when no call can be under way any more. So it is sendable.
@safe
final class NATSConnection: @unchecked Sendable {
    private let connection: OpaquePointer
    /// Milliseconds for which one answer is waited for.
    ///
    /// A cluster without a leader gives none: so this is short, and the caller asks again.
    private let turn: Int64

    private static let turnMax: Int64 = 3_000

    /// The idle inboxes: no more than calls were ever under way at once.
    private let inboxes = Mutex<[NATSInbox]>([])

    /// Connects.
    /// - Parameter options: Where to.
    /// - Throws: `StreamError.failed`; its words have no secret in them.
    init(_ options: JetStreamOptions) throws(StreamError) {
        turn = min(max(1, Int64(options.patience / .milliseconds(1))), Self.turnMax)
        var made: OpaquePointer?
        try Self.check(unsafe natsOptions_Create(&made), "natsOptions")
        guard let settings = unsafe made else { throw .failed("no memory") }
        defer { unsafe natsOptions_Destroy(settings) }
        try unsafe Self.setServers(settings, options.servers)
        try Self.check(unsafe natsOptions_SetMaxReconnect(settings, -1), "reconnecting")
        try Self.check(unsafe natsOptions_SetReconnectWait(settings, 250), "reconnecting")
        try Self.check(unsafe natsOptions_SetTimeout(settings, turn), "timeout")
        // A server that is gone without a word is noticed after two of these.
        try Self.check(unsafe natsOptions_SetPingInterval(settings, 5_000), "pings")
        try Self.check(unsafe natsOptions_SetMaxPingsOut(settings, 2), "pings")
        // A caller that waits for an answer learns at once that it will not come, and asks another server.
        try Self.check(unsafe natsOptions_SetFailRequestsOnDisconnect(settings, true), "requests")
        try Self.check(unsafe natsOptions_SetSendAsap(settings, true), "sending")
        try Self.check(unsafe natsOptions_SetName(settings, "kairand"), "name")
        // Otherwise the password would be sent in clear to a server that claims to have no TLS.
        if options.servers.contains(where: { $0.hasPrefix("tls://") }) {
            try Self.check(unsafe natsOptions_SetSecure(settings, true), "TLS")
        }
        if let file = options.authorityFile {
            try Self.check(unsafe natsOptions_LoadCATrustedCertificates(settings, file), "the file of the authority")
        }
        var connected: OpaquePointer?
        try Self.check(unsafe natsConnection_Connect(&connected, settings), "connecting")
        guard let connected = unsafe connected else { throw .failed("no connection") }
        unsafe connection = connected
    }

    deinit {
        // Before the connection that they are of.
        inboxes.withLock { $0 = [] }
        // SAFETY: no call uses the connection any more, or self would be held.
        unsafe natsConnection_Destroy(connection)
    }

    /// Bytes of the largest message that the server takes.
    var payloadByteCountMax: Int64 { unsafe natsConnection_GetMaxPayload(connection) }

    /// Ends the connection; calls under way fail.
    func close() { unsafe natsConnection_Close(connection) }

    /// Sends messages in their order, asking for an answer to the last one.
    /// - Parameter messages: At least one.
    /// - Returns: The answer to the last one.
    /// - Throws: `StreamError`; the stream may or may not have stored the messages then.
    func send(_ messages: [NATSMessage]) throws(StreamError) -> NATSReply {
        for message in messages.dropLast() { try publish(message, reply: nil) }
        guard let last = messages.last else { throw .failed("nothing to send") }
        let made = try unsafe make(last, reply: nil)
        defer { unsafe natsMsg_Destroy(made) }
        var reply: OpaquePointer?
        try Self.check(unsafe natsConnection_RequestMsg(&reply, connection, made, turn), "waiting for an answer")
        guard let taken = try unsafe Self.take(reply, nil) else { throw .failed("no answer") }
        return taken
    }

    /// Sends one or several requests at once, and takes answers until one is the last.
    /// - Parameters:
    ///   - messages: The requests.
    ///   - isLast: Takes each answer, with the index of its request; returns whether it was the last one.
    /// - Throws: `StreamError`, also when the next answer does not come.
    func ask(_ messages: [NATSMessage], until isLast: (NATSReply) -> Bool) throws(StreamError) {
        let idle = inboxes.withLock { $0.popLast() }
        let inbox = if let idle { idle } else { try unsafe NATSInbox(connection) }
        defer { inboxes.withLock { $0.append(inbox) } }
        let address = inbox.nextAddress()
        for (index, message) in messages.enumerated() {
            try publish(message, reply: "\(address)\(index)")
        }
        while true {
            let reply = try unsafe Self.take(inbox.next(within: turn), address)
            if let reply, isLast(reply) { return }
        }
    }

    private func publish(_ message: NATSMessage, reply: String?) throws(StreamError) {
        let made = try unsafe make(message, reply: reply)
        defer { unsafe natsMsg_Destroy(made) }
        try Self.check(unsafe natsConnection_PublishMsg(connection, made), "sending")
    }

    /// Makes a message; the caller destroys it.
    private func make(_ message: NATSMessage, reply: String?) throws(StreamError) -> OpaquePointer {
        var made: OpaquePointer?
        // SAFETY: libnats copies subject, reply and bytes.
        let status = unsafe message.bytes.withUnsafeBytes { bytes in
            unsafe natsMsg_Create(
                &made,
                message.subject,
                reply,
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(clamping: bytes.count)
            )
        }
        try Self.check(status, "message")
        guard let made = unsafe made else { throw .failed("no memory") }
        for header in message.headers {
            let status = unsafe natsMsgHeader_Set(made, header.name, header.value)
            guard status == NATS_OK else {
                unsafe natsMsg_Destroy(made)
                throw .failed("no memory")
            }
        }
        return unsafe made
    }

    /// Copies a message and destroys it.
    /// - Parameters:
    ///   - message: The received message.
    ///   - address: The subject that answers are sent to, up to the index of the request; `nil` when there is one
    ///     answer.
    /// - Returns: The answer; `nil` when it belongs to other requests, whose answers were not awaited to the end.
    /// - Throws: `StreamError`, when there is no message.
    private static func take(_ message: OpaquePointer?, _ address: String?) throws(StreamError) -> NATSReply? {
        guard let message = unsafe message else { throw .failed("no answer") }
        defer { unsafe natsMsg_Destroy(message) }
        var reply = NATSReply()
        if let address {
            let subject = unsafe natsMsg_GetSubject(message).map { unsafe String(cString: $0) } ?? ""
            guard subject.hasPrefix(address), let index = Int(subject.dropFirst(address.count)) else { return nil }
            reply.index = index
        }
        reply.status = unsafe header(message, "Status").flatMap { Int($0) }
        reply.statusText = unsafe header(message, "Description")
        reply.storedSubject = unsafe header(message, "Nats-Subject")
        reply.upTo = unsafe header(message, "Nats-UpTo-Sequence").flatMap { UInt64($0) }
        reply.pendingCount = unsafe header(message, "Nats-Num-Pending").flatMap { UInt64($0) }
        let place = unsafe header(message, "Nats-Sequence") ?? header(message, "Nats-Last-Sequence")
        reply.sequence = place.flatMap { UInt64($0) } ?? 0
        let count = Int(unsafe natsMsg_GetDataLength(message))
        if count > 0, let data = unsafe natsMsg_GetData(message) {
            // SAFETY: libnats says how long its data is, and keeps it until the message is destroyed.
            reply.bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: data, count: count))
        }
        return reply
    }

    private static func header(_ message: OpaquePointer, _ name: String) -> String? {
        var value: UnsafePointer<CChar>?
        guard unsafe natsMsgHeader_Get(message, name, &value) == NATS_OK, let value = unsafe value else { return nil }
        return unsafe String(cString: value)
    }

    private static func setServers(_ settings: OpaquePointer, _ servers: [String]) throws(StreamError) {
        // SAFETY: libnats copies the strings.
        var copies: [UnsafePointer<CChar>?] = unsafe []
        defer {
            while let last = unsafe copies.popLast() { unsafe free(UnsafeMutablePointer(mutating: last)) }
        }
        for server in servers { unsafe copies.append(UnsafePointer(strdup(server))) }
        let status = unsafe copies.withUnsafeMutableBufferPointer { buffer in
            unsafe natsOptions_SetServers(settings, buffer.baseAddress, Int32(clamping: buffer.count))
        }
        try check(status, "the list of servers")
    }

    /// Turns libnats's statuses into errors, with its words and without ours: a URL may have a password in it.
    static func check(_ status: natsStatus, _ what: String) throws(StreamError) {
        guard status != NATS_OK else { return }
        // SAFETY: libnats hands out a string that lives for ever, for any status.
        let text = unsafe natsStatus_GetText(status).map { unsafe String(cString: $0) } ?? "status \(status.rawValue)"
        let words = "\(what): \(text)"
        switch status {
        case NATS_NO_RESPONDERS, NATS_CONNECTION_DISCONNECTED, NATS_TIMEOUT: throw .passing(words)
        default: throw .failed(words)
        }
    }
}
