import Glibc

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Settings that name something of this machine, looked at before anything starts.
extension DaemonConfiguration {
    /// The longest path of a Unix socket; one byte more ends it.
    static let socketByteCountMax = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Refuses settings that cannot be used on this machine, regardless of which part starts first.
    /// - Parameter inheritsSocket: Whether a service manager passes the socket on, so that its path is not used.
    /// - Throws: ``Refusal`` for the first unusable setting.
    func check(inheritsSocket: Bool) throws(Refusal) {
        if !inheritsSocket { try checkSocket() }
        if let group, getgrnam(group) == nil {
            throw places.refusal("group", ": there is no group \"\(group)\"; make it (`groupadd`) or name another one")
        }
        if let applicationDirectory {
            try check("applications", applicationDirectory, isDirectory: true, access: R_OK | X_OK)
        }
        try checkLinkedRoots()
        if isRelay, let relayAuthorityFile, !relayServers.addresses.isEmpty {
            try check("relay-storage-authority", relayAuthorityFile, isDirectory: false, access: R_OK)
        }
    }

    /// Refuses folders of linked files that overlap each other or the state, or that this process may not read.
    ///
    /// One that is not there is no mistake: its disk may be mounted later, and health says so until then.
    private func checkLinkedRoots() throws(Refusal) {
        let key = "linked-roots"
        var known: [String] = []
        for root in linkedRoots {
            if let other = known.first(where: { Self.overlap($0, root) }) {
                let words = "\(root) and \(other) are the same, or one is in the other"
                throw places.refusal(key, ": \(words); name one of them")
            }
            known.append(root)
            let found = realpath(root, nil)
            defer { free(found) }
            let real = found.map { String(cString: $0) }
            if let real, real != root {
                throw places.refusal(key, ": links lead from \(root) to \(real); name that path")
            }
            let ownState = realpath(state, nil)
            defer { free(ownState) }
            let states = [state, ownState.map { String(cString: $0) }].compactMap(\.self)
            if let own = states.first(where: { Self.overlap($0, root) }) {
                let words = "\(root) and the state directory \(own) are the same, or one is in the other"
                throw places.refusal(key, ": \(words); name another one")
            }
            guard real != nil else { continue }
            try check(key, root, isDirectory: true, access: R_OK | X_OK)
        }
    }

    /// Whether one path is the other one, or beneath it.
    private static func overlap(_ first: String, _ second: String) -> Bool {
        first == second || first.hasPrefix(second + "/") || second.hasPrefix(first + "/")
    }

    /// Refuses a cluster that parcels are to be kept in.
    /// - Parameter opensClusters: Whether the program is linked to the client of one.
    /// - Throws: ``Refusal`` where it is not and a cluster is named.
    func check(opensClusters: Bool) throws(Refusal) {
        if !opensClusters, !relayServers.addresses.isEmpty { throw clusterRefusal }
    }

    /// Why a program that is linked to no cluster's client does not start.
    var clusterRefusal: Refusal {
        let way = "install the package kairan-relay-cluster, whose daemon has one, or remove the setting"
        return places.refusal("relay-storage", " names a NATS cluster, and this kairand has no client for it: \(way)")
    }

    private func checkSocket() throws(Refusal) {
        let count = socket.utf8.count
        guard (1...Self.socketByteCountMax).contains(count) else {
            let words = "has \(count) bytes, which is too long; allowed: \(Self.keys["socket"]?.allowed ?? "")"
            throw places.refusal("socket", ": \(socket) \(words)")
        }
        // Only an existing file can be in the way; a cause that prevents looking at it also prevents binding it.
        let facts = try? FileManager.default.attributesOfItem(atPath: socket)
        if let facts, facts[.type] as? FileAttributeType != .typeSocket {
            let words =
                "exists and is not a socket, and was not changed; allowed: \(Self.keys["socket"]?.allowed ?? "")"
            throw places.refusal("socket", ": \(socket) \(words)")
        }
        // At its default path, missing directories are made.
        guard places.named.contains("socket") else { return }
        var directory = Self.parent(of: socket)
        if access(directory, F_OK) != 0, errno == ENOENT { directory = Self.parent(of: directory) }
        try check("socket", directory, isDirectory: true, access: X_OK)
    }

    private func check(_ key: String, _ path: String, isDirectory: Bool, access mode: Int32) throws(Refusal) {
        guard access(path, mode) == 0 else {
            throw places.refusal(key, ": \(path) cannot be used: \(String(cString: strerror(errno)))")
        }
        var isThereADirectory = false
        _ = FileManager.default.fileExists(atPath: path, isDirectory: &isThereADirectory)
        guard isThereADirectory == isDirectory else {
            throw places.refusal(key, ": \(path) is \(isDirectory ? "not a directory" : "a directory")")
        }
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
