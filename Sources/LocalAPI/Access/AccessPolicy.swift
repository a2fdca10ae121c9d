/// The rules that decide which processes may connect, and in which role.
package struct AccessPolicy: Sendable, Hashable {
    /// The processes that may do everything.
    package var admins: AdminPolicy
    /// The programs that may use containers, and which ones.
    package var applications: [ApplicationBinding]
    /// Applications that the administrator intended but that are bound to no process, because their files are wrong.
    package var disabled: [DisabledApplication]
    /// Whether every process may see the bare status.
    package var showsStatusToOthers: Bool
    /// The ids that the kernel reports for users and groups without a mapping in this process's user namespace; `nil` outside of one.
    package var unmapped: UnmappedIdentity?

    /// The ids that stand for all users, and all groups, without a mapping: they identify no user or group.
    package struct UnmappedIdentity: Sendable, Hashable {
        /// The user.
        package var user: UInt32
        /// The group.
        package var group: UInt32

        /// Names both.
        package init(user: UInt32, group: UInt32) {
            self.user = user
            self.group = group
        }
    }

    /// Makes a policy.
    package init(
        admins: AdminPolicy,
        applications: [ApplicationBinding] = [],
        disabled: [DisabledApplication] = [],
        showsStatusToOthers: Bool = false,
        unmapped: UnmappedIdentity? = nil
    ) {
        self.admins = admins
        self.applications = applications
        self.disabled = disabled
        self.showsStatusToOthers = showsStatusToOthers
        self.unmapped = unmapped
    }

    /// Whether processes other than the administrators' must be able to reach the socket.
    package var isForOthers: Bool { showsStatusToOthers || !applications.isEmpty || !disabled.isEmpty }

    /// Returns the caller to which the credentials of a process belong.
    /// - Parameter peer: The credentials reported by the kernel; `nil` when it reports none, and then the caller is
    ///   unknown.
    /// - Returns: The caller.
    package func caller(_ peer: PeerCredentials?) -> Caller {
        let peer = known(peer)
        if admins.admits(peer) { return .admin }
        guard let peer else { return .other(seesStatus: false) }
        // A user's file may restrict the group's access: if that file is wrong, the group's file does not replace it.
        let isDisabled = disabled.contains { $0.user == peer.user }
        let bound = applications.filter { $0.binds(peer) && !(isDisabled && $0.rank > 0) }
        guard !bound.isEmpty else { return .other(seesStatus: showsStatusToOthers) }
        return .bound(bound.sorted { ($0.rank, $0.name) < ($1.rank, $1.name) })
    }

    /// The part of a process's credentials that identifies a user or a group.
    private func known(_ peer: PeerCredentials?) -> PeerCredentials? {
        guard let unmapped, let peer else { return peer }
        guard peer.user != unmapped.user else { return nil }
        var known = peer
        // No group has this number.
        if known.group == unmapped.group { known.group = .max }
        known.supplementaryGroups.remove(unmapped.group)
        return known
    }
}

extension ApplicationBinding {
    /// The precedence of a binding: one to a user precedes one to a group.
    fileprivate var rank: Int {
        switch subject {
        case .user: 0
        case .group: 1
        }
    }
}
