/// The times at which the write-ahead log moves into the database file.
///
/// SQLite's own schedule runs inside the commit that happens to cross its threshold and makes that one slow. Here a
/// checkpoint runs after a commit was answered, waits for a quiet moment as long as the log is short, and no longer
/// when it is long. The log is not truncated between commits: overwriting a file that has its size already spares
/// the file system a change of metadata in each sync.
package struct CheckpointSchedule: Sendable, Equatable {
    /// From so many frames (pages) on a checkpoint runs when no commit waits.
    package var frameCountWhenQuiet: Int
    /// From so many frames on it runs though commits wait.
    package var frameCountAlways: Int
    /// A log file larger than this is cut to nothing when the store is idle.
    package var byteCountKept: Int

    /// Makes a schedule.
    package init(
        frameCountWhenQuiet: Int = 4_000,
        frameCountAlways: Int = 16_000,
        byteCountKept: Int = 32 << 20
    ) {
        self.frameCountWhenQuiet = frameCountWhenQuiet
        self.frameCountAlways = frameCountAlways
        self.byteCountKept = byteCountKept
    }

    /// Whether to run a checkpoint now.
    /// - Parameters:
    ///   - frameCount: Frames in the log after the last commit.
    ///   - movedCount: Frames of them that an earlier checkpoint found. When a reader held that one back, trying again
    ///     before the log has grown as much once more would only repeat its syncs.
    ///   - isQuiet: Whether no commit waits.
    /// - Returns: Whether the frames that were never moved have reached the threshold.
    package func isDue(frameCount: Int, movedCount: Int, isQuiet: Bool) -> Bool {
        frameCount - movedCount >= (isQuiet ? frameCountWhenQuiet : frameCountAlways)
    }
}
