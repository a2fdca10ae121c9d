/// One application's zones: a container, as in CloudKit.
package struct ContainerStatus: Sendable {
    /// Its name.
    package var container: String
    /// Its three databases, in the order of ``ZoneDatabase``; those without a zone too.
    package var databases: [DatabaseStatus]
    /// Bytes of the records of all containers of the caller, and of the payloads uploaded here for their zones; `nil`
    /// for a caller without a limit.
    package var usedByteCount: UInt64?
    /// The most bytes allowed; `nil` for a caller without a limit.
    package var byteCountMax: UInt64?

    /// Makes a status.
    package init(
        container: String,
        databases: [DatabaseStatus],
        usedByteCount: UInt64? = nil,
        byteCountMax: UInt64? = nil
    ) {
        self.container = container
        self.databases = databases
        self.usedByteCount = usedByteCount
        self.byteCountMax = byteCountMax
    }
}

/// One view of a container.
package struct DatabaseStatus: Sendable {
    /// The view.
    package var database: ZoneDatabase
    /// Its zones, by name.
    package var zones: [ZoneSummary]

    /// Makes a status.
    package init(database: ZoneDatabase, zones: [ZoneSummary]) {
        self.database = database
        self.zones = zones
    }
}
