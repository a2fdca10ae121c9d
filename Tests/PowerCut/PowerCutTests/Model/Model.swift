import Sync
import Records
import ReplicaBehaviour
import Wire

/// What a store that loses nothing would hold.
struct Model: Sendable {
    /// Who acknowledged which log.
    struct Place: Hashable, Sendable {
        var device: DeviceID
        var key: LogKey
    }

    var replica = MemoryReplica()
    var values: [String: [UInt8]] = [:]
    var peers: [DeviceID: PeerRow] = [:]
    var acknowledgements: [Place: AcknowledgementRow] = [:]
    var account: [[UInt8]] = []

    /// Does one group of jobs: each wholly, or not at all when it is refused.
    /// - Returns: For each what its caller learns.
    mutating func perform(_ steps: [Step]) -> [Step.Outcome] {
        steps.map { step in
            let before = self
            let outcome = Step.Outcome(Result { try step.perform(in: &self) })
            if case .refused = outcome { self = before }
            return outcome
        }
    }
}
