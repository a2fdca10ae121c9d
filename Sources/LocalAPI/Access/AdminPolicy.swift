/// The processes that may do everything that the node can do.
package struct AdminPolicy: Sendable, Hashable {
    /// Users with this right, besides root.
    package var users: Set<UInt32>
    /// Groups whose members have this right.
    ///
    /// The group 0 is never included by itself: membership in it implies no privilege.
    package var groups: Set<UInt32>

    /// Makes a policy.
    /// - Parameters:
    ///   - users: Users with this right, besides root; usually the daemon's own.
    ///   - groups: Groups whose members have this right.
    package init(users: Set<UInt32>, groups: Set<UInt32> = []) {
        self.users = users
        self.groups = groups
    }

    /// Whether the process at the other end of a connection may do everything.
    /// - Parameter peer: The credentials of the process; `nil` when the kernel reported none, and then it may not.
    /// - Returns: Whether it may.
    package func admits(_ peer: PeerCredentials?) -> Bool {
        guard let peer else { return false }
        return peer.user == 0 || users.contains(peer.user) || groups.contains(peer.group)
            || !groups.isDisjoint(with: peer.supplementaryGroups)
    }
}
