import Synchronization

/// The decisions of an import, for workers that ask at the same time.
final class ImportState: Sendable {
    private let core: Mutex<ImportCore>
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private let progress: @Sendable (FolderProgress) -> Void

    /// Begins an import.
    /// - Parameters:
    ///   - core: The decisions.
    ///   - progress: Called again and again while files are read.
    init(_ core: ImportCore, progress: @escaping @Sendable (FolderProgress) -> Void) {
        self.core = Mutex(core)
        self.progress = progress
        start = clock.now
    }

    /// The time since the beginning, in milliseconds.
    var now: Int64 {
        let passed = (clock.now - start).components
        return passed.seconds * 1_000 + passed.attoseconds / 1_000_000_000_000_000
    }

    /// Asks the core, or tells it something.
    func with<Result: Sendable>(_ body: (inout ImportCore) -> Result) -> Result { core.withLock { body(&$0) } }

    /// Takes note of bytes that were read.
    func read(_ index: Int, byteCount: UInt64) {
        with { $0.read(index, byteCount: byteCount) }
        showProgress()
    }

    /// Shows how far the import is.
    func showProgress() { progress(with { $0.progress }) }
}
