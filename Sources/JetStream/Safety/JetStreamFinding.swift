/// Something about a cluster that makes it lose parcels sooner than it should, or may make it.
package struct JetStreamFinding: Hashable, Sendable {
    /// The kind of a finding.
    package enum Code: String, CaseIterable, Sendable {
        /// A server's version lacks features that the storage needs.
        case serverTooOld = "server-too-old"
        /// No server states its version.
        case versionUnknown = "version-unknown"
        /// Each parcel is on one disk alone.
        case oneReplica = "one-replica"
        /// The number of replicas is even: one more server may not fail than with one less.
        case evenReplicas = "even-replicas"
        /// A server does not have everything that it should, or is away.
        case replicaBehind = "replica-behind"
        /// A server acknowledges writes that are not on its disk yet.
        case syncLate = "sync-late"
        /// Whether a server does so cannot be seen.
        case syncUnknown = "sync-unknown"
    }

    /// The kind of the finding.
    package var code: Code
    /// The finding and its place, in words.
    package var words: String
    /// The action that corrects it.
    package var fix: String

    /// Makes a finding.
    /// - Parameters: as the properties of the same names.
    package init(code: Code, words: String, fix: String) {
        self.code = code
        self.words = words
        self.fix = fix
    }
}
