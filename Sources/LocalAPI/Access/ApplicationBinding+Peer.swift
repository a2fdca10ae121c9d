extension ApplicationBinding {
    /// Returns whether the application is bound to a process.
    func binds(_ peer: PeerCredentials) -> Bool {
        switch subject {
        case .user(let user): peer.user == user
        case .group(0): false
        case .group(let group): peer.group == group || peer.supplementaryGroups.contains(group)
        }
    }
}
