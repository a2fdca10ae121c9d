import Glibc
package import Sync

/// The files beneath the roots of this device, through the system.
///
/// Each call finds its file anew from the root: a disk may have been mounted or unmounted since, and no path is trusted that a program may
/// have changed. Nothing is written.
package struct LinkedRoots: LinkedFiles {
    package let roots: [String]

    /// Describes roots.
    /// - Parameter roots: Their absolute paths; each may be missing for some time.
    package init(_ roots: [String]) { self.roots = roots }

    private func root(_ path: String) throws(LinkFault) -> RootDescriptor {
        guard roots.contains(path) else { throw .rootUnavailable }
        return try RootDescriptor(root: path)
    }

    package func facts(of place: LinkedPlace) throws(LinkFault) -> FileFacts {
        try root(place.root).file(place.path).facts()
    }

    package func read(
        _ place: LinkedPlace,
        expecting facts: FileFacts,
        from offset: UInt64,
        count: Int
    ) throws(LinkFault) -> [UInt8] {
        let file = try root(place.root).file(place.path)
        guard try file.facts().agree(with: facts) else { throw .changed }
        let bytes = try file.read(from: offset, count: count)
        guard bytes.count == count, try file.facts().agree(with: facts) else { throw .changed }
        return bytes
    }

    package func entries(root path: String, folder: [UInt8]) throws(LinkFault) -> [LinkedEntry] {
        let opened = try root(path).folder(folder)
        return try opened.names().compactMap { (name) -> LinkedEntry? in
            guard let status = opened.status(of: name) else { return nil }
            switch status.st_mode & S_IFMT {
            case S_IFREG: return LinkedEntry(name: name, kind: .file(FileFacts(status)))
            case S_IFDIR: return LinkedEntry(name: name, kind: .folder)
            default: return nil
            }
        }
    }
}
