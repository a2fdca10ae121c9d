import Sodium
import Wire

extension RecordBody {
    /// The first rule that a body breaks as the body of an operation.
    ///
    /// Every replica checks a body in clear before it takes the run. A sealed body is checked by the replicas that
    /// can open it, and for them an operation that breaks a rule has no effect.
    /// - Parameters:
    ///   - header: The operation's header.
    ///   - actor: Its log.
    ///   - device: The log's device.
    ///   - tagKey: The zone's tag key.
    /// - Returns: `nil` for a sound body.
    /// - Complexity: O(fields and dots).
    func brokenRule(
        _ header: OperationHeader,
        actor: ActorID,
        device: DeviceID,
        tagKey: borrowing SymmetricKey
    ) -> OperationRule? {
        guard RecordTag(name: name, key: tagKey) == header.tag else { return .tag }
        guard modifier == device else { return .modifier }
        let own = Dot(actor: actor, counter: header.counter)
        for entry in fields.lazy.flatMap(\.entries) {
            guard header.vector.covers(entry.dot), header.vector.coversDots(in: entry.value) else { return .fieldDot }
            guard entry.dot != own || entry.time == header.time else { return .fieldTime }
        }
        return nil
    }
}

extension VersionVector {
    /// Whether every dot inside a counter or a set lies under the vector.
    fileprivate func coversDots(in value: FieldValue) -> Bool {
        switch value {
        case .counter(let state): state.entries.allSatisfy { $0.isRestated || covers($0.dot) }
        case .set(let state): state.entries.allSatisfy { $0.dots.allSatisfy { covers($0) } }
        default: true
        }
    }
}
