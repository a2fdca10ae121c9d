/// A folder, and the way in which it is kept in step.
package struct FolderOptions: Sendable, Hashable {
    /// The path of the folder.
    package var path: String
    /// The path under which the states of all folders of this user are, `$XDG_STATE_HOME/kairan/folders`.
    package var statePath: String
    /// The names of devices, and whether a person has confirmed deletions.
    package var settings: FolderCore.Settings
    /// Whether to end when both sides are in step.
    package var isOnce = false
    /// Whether to show only what would be done.
    package var isDryRun = false
    /// Whether to forget what was in step, so that nothing is deleted on either side.
    package var beginsAnew = false

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(path: String, statePath: String, settings: FolderCore.Settings) {
        (self.path, self.statePath, self.settings) = (path, statePath, settings)
    }

    /// The path of the states, by the process's environment.
    /// - Parameter environment: The environment.
    /// - Returns: The path below `XDG_STATE_HOME`, or below `.local/state` of `HOME`.
    package static func statePath(_ environment: [String: String]) -> String {
        // A variable that is empty or relative counts as not set, as the XDG specification demands.
        func absolutePath(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let state = absolutePath("XDG_STATE_HOME") ?? (absolutePath("HOME") ?? "/root") + "/.local/state"
        return state + "/kairan/folders"
    }
}

/// A report about a folder that is kept in step.
package enum FolderReport: Sendable, Hashable {
    /// Something was done, or could not be done.
    case news(FolderNews)
    /// Something would be done.
    case planned(FolderDecision)
    /// Both sides are in step: the number of files, and of paths that could not be brought into step.
    case inStep(files: Int, failed: Int)
    /// The daemon cannot be reached; it is asked again.
    case waiting(String)
}

/// The outcome of a run that ends by itself.
package struct FolderSummary: Sendable, Hashable {
    /// The number of files that are in step.
    package var inStep: Int
    /// The paths that could not be brought into step, with the reasons.
    package var failed: [String: String]
}
