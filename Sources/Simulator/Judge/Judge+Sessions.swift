import Sync
import Wire

// What a process holds in memory.
extension Judge {
    /// How many jobs may wait in a process.
    private static let waitingJobCountMax = 65_536

    /// One session with each device, and nothing without bounds.
    func checkSessions(of process: NodeProcess, node: Int, time: UInt64) throws {
        let devices = process.sessionDevices
        if devices.count > 1, Set(devices).count < devices.count {
            throw Violation(.oneSession, time: time, node: node, "two sessions with one device")
        }
        guard process.waitingJobCount <= Self.waitingJobCountMax else {
            throw Violation(.caps, time: time, node: node, "\(process.waitingJobCount) jobs wait")
        }
    }
}
