package import Records
package import Wire

// Zones of the daemon's own, which people and programs neither see nor make.
extension ZoneGenesis {
    /// What the containers of such zones begin with.
    package static let internalContainerPrefix = "kairan."

    /// Whether a container is the daemon's own.
    package static func isInternal(container: String) -> Bool {
        container.utf8.starts(with: internalContainerPrefix.utf8)
    }

    /// Whether the zone is the daemon's own.
    package var isInternal: Bool { Self.isInternal(container: container) }
}

extension ZoneRow {
    /// Whether the zone is the daemon's own.
    package var isInternal: Bool { genesis.isInternal }
}
