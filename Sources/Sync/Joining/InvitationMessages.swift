import Identity
package import Wire

/// The questions and answers about invitations that arrive, on all channels under invitations together.
///
/// It joins the parts of messages, and puts an account log that comes ahead of its message into it. The bytes held for
/// all channels together are bounded, because nothing but the secret of an invitation is known of the other side.
///
/// ```
/// asking                                      answering
///    | -- accountEntries ---------------------->  |   of a log that is too long for the question, in as many messages as it takes
///    | -- joinRequest(account log) ------------>  |   once
///    | <- accountEntries -----------------------  |   of a log that is too long for the answer
///    | <- joinAnswer(account log) | joinRefusal - |
/// ```
package struct InvitationMessages: Sendable {
    /// The role of this side of a channel.
    package enum Role: Sendable, Equatable, CaseIterable {
        /// It wants to take part.
        case asking
        /// It is of the inviting account.
        case answering
    }

    /// The outcome of a message that may stand at its place.
    package enum Arrival: Sendable, Equatable {
        /// More of the question or the answer is to come.
        case incomplete
        /// A message, with the account log that came ahead of it.
        case message(PeerMessage)
        /// More would be held than may be; the channel is to be closed with the code *busy*.
        case tooMuch
    }

    /// The rule that a message breaks; the channel is to be closed with the code *violation*.
    package enum Fault: Error, Equatable, Sendable {
        /// The parts are no message.
        case parts(MessageAssembly.Fault)
        /// The entries of an account log are not wanted at this place, are of another account, or more than a log has; or the message that they
        /// are ahead of does not follow.
        case log
        /// A channel has one question.
        case secondQuestion
    }

    private struct Channel: Sendable {
        let role: Role
        let account: AccountID
        var arriving = MessageAssembly()
        /// The account log that arrives ahead of its message.
        var log = LongAccountLog()
        /// Bytes of the log of a question that is being answered.
        var askedByteCount = 0
        var hasAsked = false

        var logByteCount: Int { log.byteCount + askedByteCount }
    }

    /// Bytes of questions that are held while they arrive in parts, of all channels together.
    ///
    /// Most accounts' logs need no parts.
    package static let partsByteCountMax = 4 << 20
    /// Bytes of account logs that came ahead of questions, of all channels together, until these are answered; and, counted by itself, of answers.
    ///
    /// One log of any allowed length fits.
    package static let logsByteCountMax = AccountLog.byteCountMax

    private var channels: [SessionID: Channel] = [:]

    /// No channel stands.
    package init() {}

    /// A channel under an invitation's secret was opened; the transport bounds how many there are, and for how long.
    /// - Parameters:
    ///   - id: The channel.
    ///   - role: The role of this side.
    ///   - account: The account that the other side named in its handshake.
    package mutating func open(_ id: SessionID, as role: Role, with account: AccountID) {
        channels[id] = Channel(role: role, account: account)
    }

    /// The question of a channel was answered: its account log is not held any more.
    package mutating func answered(_ id: SessionID) { channels[id]?.askedByteCount = 0 }

    /// A channel has ended.
    package mutating func close(_ id: SessionID) { channels[id] = nil }

    /// Takes a message of a channel, or a part of one.
    /// - Returns: The outcome; for a channel that has ended ``Arrival/incomplete``.
    /// - Throws: ``Fault``.
    /// - Complexity: O(channels + bytes of the message).
    package mutating func take(_ message: PeerMessage, on id: SessionID) throws(Fault) -> Arrival {
        guard var channel = channels[id] else { return .incomplete }
        let kinds: Set<LongMessage> =
            switch channel.role {
            case .answering: channel.hasAsked ? [] : [.joinRequest, .accountEntries]
            case .asking: [.joinAnswer, .accountEntries]
            }
        let whole: PeerMessage?
        do throws(MessageAssembly.Fault) {
            whole = try channel.arriving.take(message, of: kinds)
        } catch {
            throw .parts(error)
        }
        var arrival = Arrival.incomplete
        if let whole { arrival = try Self.take(whole, into: &channel) }
        channels[id] = channel
        return isFull(for: channel.role) ? .tooMuch : arrival
    }

    private static func take(_ message: PeerMessage, into channel: inout Channel) throws(Fault) -> Arrival {
        switch (channel.role, message) {
        case (_, .accountEntries(let entries)):
            guard !channel.hasAsked, channel.log.add(entries, of: channel.account) else { throw .log }
            return .incomplete
        case (.answering, .joinRequest(var request)):
            guard !channel.hasAsked else { throw .secondQuestion }
            guard let entries = channel.log.whole(with: request.entries) else { throw .log }
            request.entries = entries
            channel.hasAsked = true
            channel.askedByteCount = channel.log.byteCount
            channel.log = LongAccountLog()
            return .message(.joinRequest(request))
        case (.asking, .joinAnswer(var answer)):
            guard let entries = channel.log.whole(with: answer.entries) else { throw .log }
            answer.entries = entries
            channel.log = LongAccountLog()
            return .message(.joinAnswer(answer))
        default:
            guard channel.log.isEmpty else { throw .log }
            return .message(message)
        }
    }

    /// Whether more is held than may be.
    private func isFull(for role: Role) -> Bool {
        let others = channels.values.filter { $0.role == role }
        if others.reduce(0, { $0 + $1.logByteCount }) > Self.logsByteCountMax { return true }
        return role == .answering && others.reduce(0) { $0 + $1.arriving.byteCount } > Self.partsByteCountMax
    }
}

extension InvitationMessages.Fault: CustomStringConvertible {
    /// The broken rule, for logs.
    package var description: String {
        switch self {
        case .parts(let fault): "\(fault)"
        case .log: "entries of an account log that were not requested"
        case .secondQuestion: "a second question"
        }
    }
}
