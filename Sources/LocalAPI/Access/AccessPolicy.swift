/// Who may connect, and as what.
package struct AccessPolicy: Sendable, Hashable {
    /// Who may do everything.
    package var admins: AdminPolicy
    /// Which programs may use which containers.
    package var applications: [ApplicationBinding]
    /// Whether anybody may see the bare status.
    package var showsStatusToOthers: Bool

    /// Makes a policy.
    package init(admins: AdminPolicy, applications: [ApplicationBinding] = [], showsStatusToOthers: Bool = false) {
        self.admins = admins
        self.applications = applications
        self.showsStatusToOthers = showsStatusToOthers
    }

    /// Whether processes other than the administrators' must be able to reach the socket.
    package var isForOthers: Bool { showsStatusToOthers || !applications.isEmpty }

    /// Who a process is.
    /// - Parameter peer: What the kernel says of it; `nil` when it says nothing, and then nobody is known.
    /// - Returns: The caller.
    package func caller(_ peer: PeerCredentials?) -> Caller {
        if admins.admits(peer) { return .admin }
        guard let peer else { return .other(seesStatus: false) }
        let bound = applications.filter { $0.binds(peer) }
        guard !bound.isEmpty else { return .other(seesStatus: showsStatusToOthers) }
        return .bound(bound.sorted { ($0.rank, $0.name) < ($1.rank, $1.name) })
    }
}

extension ApplicationBinding {
    /// A binding to a user says more than one to a group.
    fileprivate var rank: Int {
        switch subject {
        case .user: 0
        case .group: 1
        }
    }
}
