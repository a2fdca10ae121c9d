import Sync
import Wire

// Evictions of contents, and questions about the devices that hold them.
extension SyncService {
    /// Evicts a content, once other devices have promised to keep it; takes ten seconds at most, beside the work of the store.
    /// - Parameters:
    ///   - payload: The payload.
    ///   - copies: The promises that it takes.
    ///   - countsOthers: Whether promises of devices of other accounts count.
    /// - Returns: The outcome; a cancelled caller withdraws the request, unless the content is being dropped already.
    func evict(_ payload: PayloadID, copies: Int, countsOthers: Bool) async -> EvictionOutcome {
        guard !holderCalls.isClosed, !Task.isCancelled else { return .withdrawn }
        let order = EvictionOrder(
            id: holderCalls.next(),
            payload: payload,
            copies: copies,
            countsOthers: countsOthers
        )
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                holderCalls.add(continuation, for: order.id)
                facts.put(.input(.evictionAsked(order)))
                // A caller that left before the order was put has withdrawn nothing.
                if Task.isCancelled { facts.put(.input(.evictionWithdrawn(order.id))) }
            }
        } onCancel: { [facts] in
            facts.put(.input(.evictionWithdrawn(order.id)))
        }
    }

    /// Asks connected devices whether they hold a content; takes a few seconds at most.
    /// - Parameters:
    ///   - payload: The payload.
    ///   - zones: Zones whose records name it.
    /// - Returns: The answers, by device; none for a cancelled caller.
    func holders(of payload: PayloadID, in zones: [ZoneID]) async -> [HolderAnswer] {
        guard !holderCalls.isClosed, !zones.isEmpty, !Task.isCancelled else { return [] }
        let question = HolderQuestion(id: holderCalls.next(), payload: payload, zones: zones)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                holderCalls.add(continuation, for: question.id)
                facts.put(.input(.holdersAsked(question)))
            }
        } onCancel: { [facts] in
            facts.put(.input(.evictionWithdrawn(question.id)))
        }
    }
}
