import Sync
import Records
import ReplicaBehaviour
import Wire

/// The contents of a store that loses nothing.
struct Model: Sendable {
    /// A log, and the device that acknowledged it.
    struct Place: Hashable, Sendable {
        var device: DeviceID
        var key: LogKey
    }

    var replica = MemoryReplica()
    var values: [String: [UInt8]] = [:]
    var peers: [DeviceID: PeerRow] = [:]
    var acknowledgements: [Place: AcknowledgementRow] = [:]
    var account: [[UInt8]] = []

    /// Performs one group of jobs: each wholly, or not at all when it is refused.
    /// - Returns: The result that each job's caller receives.
    mutating func perform(_ steps: [Step]) -> [Step.Outcome] {
        steps.map { step in
            let before = self
            let outcome = Step.Outcome(Result { try step.perform(in: &self) })
            if case .refused = outcome { self = before }
            return outcome
        }
    }
}
