import FileRecords
import Glibc

/// Reads the folder, or parts of it.
struct FolderReader: Sendable {
    /// Folders to read.
    struct Reading: Sendable {
        /// The folders; `nil` is the one that is kept in step.
        var folders: Set<FilePath?>
        /// Whether all of the folder is read.
        var isWhole: Bool
        /// Whether parts of files of earlier runs are moved to the trash: none of this run is there yet.
        var clearsParts: Bool
        /// The marker that the folder must have; `nil` where it is only looked at.
        var marker: FolderMarker?
        /// The time of the beginning.
        var time: Int64
    }

    let root: FolderRoot
    /// Watches the folders that are read; `nil` where nothing is watched.
    let watch: FolderWatch?

    /// Reads folders.
    /// - Parameter reading: The folders.
    /// - Returns: The folders as they are.
    /// - Throws: ``FolderError``, also where the folder is another one by now; `CancellationError`.
    func perform(_ reading: Reading) async throws -> FolderSync.Input {
        try await Disk.run {
            if let marker = reading.marker { try check(marker) }
            let rules = try root.rules()
            let listings = try read(reading.folders, rules, isDeep: reading.isWhole)
            if reading.isWhole, reading.marker != nil { tidy(listings, clearsParts: reading.clearsParts) }
            return .read(listings, rules, at: reading.time, isWhole: reading.isWhole)
        }
    }

    /// Checks that the folder is the one: an unmounted disk must not look like a deletion.
    private func check(_ marker: FolderMarker) throws(FolderError) {
        let present = try root.usable { root throws(FileFault) in try root.marker() }
        guard root.isInPlace, present?.marker == marker else { throw .disappeared(root.path) }
    }

    /// Clears away what earlier runs left behind.
    ///
    /// A failure costs space, and is tried again with the next reading of all.
    private func tidy(_ listings: [FolderListing], clearsParts: Bool) {
        let today = FolderClock.day
        try? root.emptyTrash(today: today)
        for listing in listings where clearsParts && listing.hasParts {
            try? root.clearParts(in: listing.folder, on: today)
        }
    }

    /// Reads folders, with all beneath them or with those beneath them that are new.
    private func read(
        _ folders: Set<FilePath?>,
        _ rules: IgnoreRules,
        isDeep: Bool
    ) throws(FolderError) -> [FolderListing] {
        var listings: [FolderListing] = []
        var seen: Set<FilePath?> = []
        var open = Array(folders)
        while let folder = open.popLast() {
            guard seen.insert(folder).inserted else { continue }
            // Before it is read, so that no change after the reading is missed.
            if let watch, let opened = try? root.open(folder) { watch.watch(folder, opened) }
            // A folder that is gone is missing in the one that it was in.
            guard let listing = try root.list(folder, rules) else { continue }
            for next in listing.folders {
                let isKnown = watch?.watches(next) ?? false
                if isDeep || !isKnown { open.append(next) }
            }
            listings.append(listing)
        }
        return listings
    }
}
