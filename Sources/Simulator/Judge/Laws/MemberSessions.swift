import Identity
import Peering
import Sync
import Wire

/// The law that an open session with a device of a node's own account is with one that belongs to it, by the node's copy of the log.
enum MemberSessions {
    /// Checks the sessions of a process.
    /// - Throws: ``Violation`` of ``Invariant/leaving``.
    static func check(_ process: NodeProcess, time: UInt64) throws {
        let state = process.log.state
        for (id, link) in process.links.sorted(by: { $0.key < $1.key })
        where link.account == state.account && process.core.sync.isActive(id) {
            if case .active(_) = state.standing(of: link.device) { continue }
            throw Violation(
                .leaving,
                time: time,
                node: process.node.index,
                "a session with \(link.device.shortText) is open, which does not belong to the account"
            )
        }
    }
}
