import Identity
import Sync
import Wire

// What a process holds in memory.
extension Judge {
    /// How many jobs may wait in a process.
    private static let waitingJobCountMax = 65_536

    /// For how long a session may go on with an account that shares nothing any more, in milliseconds.
    private static let leavingMilliseconds: UInt64 = 5_000
    /// How often that is looked at.
    private static let leavingInterval: UInt64 = 500

    /// Who shares nothing any more is told why, and not talked to then.
    func checkLeaving(of process: NodeProcess, time: UInt64) throws {
        guard time >= (leavingChecked[process.node.index] ?? 0) + Self.leavingInterval else { return }
        leavingChecked[process.node.index] = time
        for (id, link) in process.links where link.account != process.log.account && !link.isClosing {
            let session = UnsharedSession(node: process.node.index, life: process.life, session: id)
            // Before the device is confirmed nothing is told at all, and that has a deadline of its own.
            guard process.core.isActive(id), try !shares(process, with: link.device, of: link.account) else {
                unsharedSince[session] = nil
                continue
            }
            let since = unsharedSince[session] ?? time
            unsharedSince[session] = since
            guard time > since + Self.leavingMilliseconds + Self.leavingInterval else { continue }
            throw Violation(
                .leaving,
                time: time,
                node: process.node.index,
                "there is a session with \(link.device.shortText), with whose account nothing has been shared since \(since);"
                    + " the node takes for shared: "
                    + process.core.sharedZones(with: link.device, of: link.account).map(\.shortText).joined(
                        separator: ", "
                    )
            )
        }
    }

    /// Whether there is a zone of which both a node and a device of another account may have all.
    private func shares(_ process: NodeProcess, with device: DeviceID, of account: AccountID) throws -> Bool {
        guard let store = process.node.store else { return true }
        return try store.zones().contains { zone in
            let model = try rights(in: zone, store: store, accounts: process.accounts, ownDevice: process.device)
            let own = process.log.account
            // Who has not heard yet that it takes part is about to; who took part may read on where everybody may.
            let isOwn = !model.parties.contains(own) || model.mayRead(process.device, of: own, now: nil)
            // Where the clock alone ends a right, the core is not woken for it: records are not told, and the session ends later.
            return isOwn && model.parties.contains(account) && model.mayRead(device, of: account, now: nil)
        }
    }

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

/// A session of a process, for as long as its account shares nothing with the node's.
struct UnsharedSession: Hashable {
    var node: Int
    var life: Int
    var session: UInt64
}
