extension ApplicationBinding {
    /// Whether a process is one of those that it is bound to.
    func binds(_ peer: PeerCredentials) -> Bool {
        switch subject {
        case .user(let user): peer.user == user
        case .group(0): false
        case .group(let group): peer.group == group || peer.supplementaryGroups.contains(group)
        }
    }
}
