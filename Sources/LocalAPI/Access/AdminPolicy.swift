/// Who may do everything that the node can do.
package struct AdminPolicy: Sendable, Hashable {
    /// Users that may, besides root.
    package var users: Set<UInt32>
    /// Groups whose members may.
    ///
    /// The group 0 is never one of them by itself: a place in it says nothing.
    package var groups: Set<UInt32>

    /// Makes a policy.
    /// - Parameters:
    ///   - users: Users that may, besides root; usually the daemon's own.
    ///   - groups: Groups whose members may.
    package init(users: Set<UInt32>, groups: Set<UInt32> = []) {
        self.users = users
        self.groups = groups
    }

    /// Whether the process at the other end of a connection may do everything.
    /// - Parameter peer: Who it is; `nil` when the kernel did not say, and then nobody may.
    /// - Returns: Whether it may.
    package func admits(_ peer: PeerCredentials?) -> Bool {
        guard let peer else { return false }
        return peer.user == 0 || users.contains(peer.user) || groups.contains(peer.group)
            || !groups.isDisjoint(with: peer.supplementaryGroups)
    }
}
