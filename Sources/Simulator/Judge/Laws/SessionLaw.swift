import Peering
import Sync
import Wire

/// The laws that two devices have one session, and that the queues and tables of a process are
/// within their bounds.
enum SessionLaw {
    /// The number of jobs that may wait in a process.
    private static let waitingJobCountMax = 65_536

    /// Checks a process.
    static func check(_ process: NodeProcess, time: UInt64) throws {
        func violation(_ invariant: Invariant, _ text: String) -> Violation {
            Violation(invariant, time: time, node: process.node.index, text)
        }
        if process.links.count > 1 {
            let devices = process.sessionDevices
            guard Set(devices).count == devices.count else {
                throw violation(.oneSession, "two sessions with one device")
            }
        }
        guard process.waitingJobCount <= waitingJobCountMax else {
            throw violation(.caps, "\(process.waitingJobCount) jobs wait")
        }
        let limits = process.simulation.options.limits
        let custody = process.core.sync.custodyLoad
        guard custody.jobs <= limits.custodyJobCountMax, custody.asked <= limits.custodyAskedCountMax,
            custody.pending <= limits.custodyAskedCountMax
        else { throw violation(.caps, "the load of custody is \(custody)") }
        let evictions = process.core.sync.evictionLoad
        guard evictions.polls <= limits.evictionCountMax + limits.holderQuestionCountMax,
            evictions.asked <= limits.promiseAskedCountMax, evictions.pending <= limits.promiseAskedCountMax
        else { throw violation(.caps, "the load of evictions is \(evictions)") }
        guard let load = process.core.sync.payloadLoad else { return }
        guard load.wanted <= limits.payloadWantCountMax + limits.payloadUrgeCountMax,
            load.asked <= limits.payloadWindowByteCount, load.serving <= limits.payloadServingByteCountMax
        else { throw violation(.caps, "the load of payloads is \(load)") }
    }
}
