import FuzzKit
import TestSupport
import Wire

/// Parts of long messages: a program of parts of some messages and of others in between.
///
/// A message is whole exactly when its parts came one after the other, and nothing is held of an unwanted one.
let messagePartTarget = FuzzTarget(
    "message-parts",
    inputByteCountMax: 256,
    run: { bytes in
        var input = FuzzInput(bytes)
        // Real messages whose last parts are short, and one that is no message.
        let messages = [61_441, 61_500, 122_881, 184_000].map { count in
            let entry = [UInt8](repeating: input.byte(), count: count - 37)
            let request = JoinRequest(account: AccountID(.zero), entries: [entry])
            return PeerMessage.joinRequest(request).encoded
        }
        let all = messages + [[UInt8](repeating: LongMessage.joinRequest.rawValue, count: 70_000)]
        let kinds: Set<LongMessage> = input.bool() ? [.joinRequest] : []
        let passedOver: Set<LongMessage> = input.bool() ? [.joinRequest] : []
        var assembly = MessageAssembly()
        /// The message whose parts have come, and how many of them.
        var begun: (message: Int, count: Int)?
        while !input.isEmpty {
            let before = begun
            begun = nil
            guard input.below(12) > 0 else {
                let other = PeerMessage.pairDone
                let taken = try? assembly.take(other, of: kinds, passingOver: passedOver)
                demand((taken == other) == (before == nil), "another message passes where nothing has begun")
                demand(!assembly.isOpen, "nothing is open behind another message")
                continue
            }
            let message = before.flatMap { input.below(8) > 0 ? $0.message : nil } ?? input.below(all.count)
            let position = input.below(8) > 0 ? before?.count ?? 0 : input.below(4)
            guard let part = MessagePart(position, of: all[message]) else {
                begun = before
                continue
            }
            let again = always("a part decodes") { try PeerMessage(decoding: PeerMessage.part(part).encoded) }
            // A refusal is one of the two outcomes that are allowed.
            let outcome = Result { () throws(MessageAssembly.Fault) in
                try assembly.take(again, of: kinds, passingOver: passedOver)
            }
            let isNext =
                before.map { all[$0.message].count == all[message].count && $0.count == position }
                ?? (position == 0 && !(kinds.isEmpty && passedOver.isEmpty))
            guard isNext else {
                demand((try? outcome.get()) == nil && !assembly.isOpen, "what is not the next part is refused")
                continue
            }
            if !part.isLast {
                demand(assembly.isOpen, "a message that has begun is open")
                begun = (message, position + 1)
            }
            if case .success(let whole?) = outcome {
                demand(part.isLast && !kinds.isEmpty, "a message is whole with its last part")
                demand(whole.encoded.count == part.total, "a message has the size that its parts state")
            }
            let held = kinds.isEmpty || part.isLast ? 0 : (position + 1) * Limits.messagePartByteCount
            demand(assembly.byteCount == held, "what has come is held, and nothing else")
        }
    },
    seeds: {
        var generator = SeededGenerator(seed: 8)
        return (0..<20).map { _ in generator.bytes(10 + generator.below(100)) }
    }
)
