import Identity
import Sync

extension VirtualDisk {
    /// Whether a start would notice that an image was restored: by the sentinel, or by the marks of the key file.
    /// - Parameters:
    ///   - image: The image.
    ///   - parts: The parts of it that would be restored.
    /// - Returns: Whether a new incarnation would begin.
    func isNoticed(_ image: DiskImage, parts: DiskImage.Parts) -> Bool {
        if parts == .disk { return false }
        // A store in memory throws nothing here; one that cannot be read is noticed.
        guard var store = image.database, let number = try? store.nextCommitNumber(),
            let incarnation = try? store.incarnation()
        else { return true }
        let bytes = parts == .database ? contents(of: .sentinel) : image.files[.sentinel]
        let marked = parts == .files ? [] : machineName
        let decision = IncarnationDecision.decide(
            hasKeys: true,
            store: .present(incarnation: incarnation, commitNumber: number - 1),
            sentinel: IncarnationDecision.SentinelState(bytes: bytes),
            machine: marked
        )
        return decision != .continue
    }
}
